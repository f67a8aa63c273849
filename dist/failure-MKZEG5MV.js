#!/usr/bin/env node
import { createRequire as wiregaugeRequire } from 'node:module';
import { fileURLToPath as wiregaugePath } from 'node:url';
const require = wiregaugeRequire(import.meta.url);
const __filename = wiregaugePath(import.meta.url), __dirname = wiregaugePath(new URL('.', import.meta.url));
import{W as a,X as b,Y as c,Z as d}from"./chunk-6BPN7WRQ.js";import"./chunk-FYTRCT3W.js";import"./chunk-OSCIUT7A.js";import"./chunk-2NEXV66M.js";import"./chunk-J75ZJEUI.js";import"./chunk-H5JSHBZO.js";import"./chunk-VNWVR7KY.js";import"./chunk-YEKFH6XS.js";import"./chunk-6N6L5HTD.js";export{b as failureData,a as tellFailure,d as tellLostOutput,c as withNearOptions};
