#!/usr/bin/env node
import { createRequire as wiregaugeRequire } from 'node:module';
import { fileURLToPath as wiregaugePath } from 'node:url';
const require = wiregaugeRequire(import.meta.url);
const __filename = wiregaugePath(import.meta.url), __dirname = wiregaugePath(new URL('.', import.meta.url));
import{b as e,c as o,d as i,e as n,f as s}from"./chunk-MA4ZDZFF.js";import{B as r,C as a,a as t}from"./chunk-MP4IYZBR.js";var m="isLater";async function u(){return a(m)==="true"?await l():(r(m,"true"),await n(e()))}t(u,"step");async function l(){try{return await s()}finally{await i(e())}}t(l,"later");try{process.exitCode=await u()}catch(c){process.exitCode=o(c)}
