#!/usr/bin/env node
import { createRequire as wiregaugeRequire } from 'node:module';
import { fileURLToPath as wiregaugePath } from 'node:url';
const require = wiregaugeRequire(import.meta.url);
const __filename = wiregaugePath(import.meta.url), __dirname = wiregaugePath(new URL('.', import.meta.url));
import{k as a,l as b,m as c,n as d,o as e,p as f,q as g,r as h,s as i,t as j,u as k,v as l,w as m,x as n}from"./chunk-TJD7PSGZ.js";import"./chunk-PSV4LBS3.js";import"./chunk-6N6L5HTD.js";export{h as columnsOf,i as isPiped,j as maskOutput,a as print,e as printCommand,c as printJson,b as printLine,d as printScript,f as printedText,l as remarkLog,k as remarkOutput,g as showsColor,m as surviveLoss,n as surviveLossOfOutput};
