#!/usr/bin/env node
import { createRequire as wiregaugeRequire } from 'node:module';
import { fileURLToPath as wiregaugePath } from 'node:url';
const require = wiregaugeRequire(import.meta.url);
const __filename = wiregaugePath(import.meta.url), __dirname = wiregaugePath(new URL('.', import.meta.url));
import{a,b,c,d,e}from"./chunk-DALXVK5V.js";import"./chunk-6DCUNVF6.js";import"./chunk-AOFN7MIJ.js";import"./chunk-OBIG3MSK.js";import"./chunk-6N6L5HTD.js";export{a as INTERRUPTED,e as abortAfter,b as exitAtSignals,c as interruptible,d as unlessAborted};
