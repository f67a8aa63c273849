#!/usr/bin/env node
import { createRequire as wiregaugeRequire } from 'node:module';
import { fileURLToPath as wiregaugePath } from 'node:url';
const require = wiregaugeRequire(import.meta.url);
const __filename = wiregaugePath(import.meta.url), __dirname = wiregaugePath(new URL('.', import.meta.url));
import{a,b,c,d,e}from"./chunk-SWBWM3SA.js";import"./chunk-X67YQKG5.js";import"./chunk-VZ2D7QYH.js";import"./chunk-5PHLL2CP.js";import"./chunk-6N6L5HTD.js";export{a as INTERRUPTED,e as abortAfter,b as exitAtSignals,c as interruptible,d as unlessAborted};
