#!/usr/bin/env node
import { createRequire as wiregaugeRequire } from 'node:module';
import { fileURLToPath as wiregaugePath } from 'node:url';
const require = wiregaugeRequire(import.meta.url);
const __filename = wiregaugePath(import.meta.url), __dirname = wiregaugePath(new URL('.', import.meta.url));
import{W as a,X as b,Y as c,Z as d}from"./chunk-S6ZSUUN6.js";import"./chunk-Y5HX3JDJ.js";import"./chunk-5ZLTVQTJ.js";import"./chunk-WBYLNENE.js";import"./chunk-DA6BSQZA.js";import"./chunk-UCQ4TGAY.js";import"./chunk-H5JSHBZO.js";import"./chunk-VNWVR7KY.js";import"./chunk-6N6L5HTD.js";export{b as failureData,a as tellFailure,d as tellLostOutput,c as withNearOptions};
