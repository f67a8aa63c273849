#!/usr/bin/env node
import { createRequire as wiregaugeRequire } from 'node:module';
import { fileURLToPath as wiregaugePath } from 'node:url';
const require = wiregaugeRequire(import.meta.url);
const __filename = wiregaugePath(import.meta.url), __dirname = wiregaugePath(new URL('.', import.meta.url));
import{ba as a,ca as b,da as c,ea as d,fa as e,ga as f,ha as g}from"./chunk-DRF7DYY2.js";import"./chunk-GTCMLNSE.js";import"./chunk-36R3JANN.js";import"./chunk-IHC4BTIF.js";import"./chunk-F7K23BSA.js";import"./chunk-ZA3CSF5I.js";import"./chunk-OZU4MD5J.js";import"./chunk-TJD7PSGZ.js";import"./chunk-2HHBIVZK.js";import"./chunk-SRQ44T76.js";import"./chunk-IAEG5YMN.js";import"./chunk-IDFI4RRA.js";import"./chunk-76XKP2XW.js";import"./chunk-QGK4XSJF.js";import"./chunk-MWBB44FX.js";import"./chunk-PSV4LBS3.js";import"./chunk-V7CTALVR.js";import"./chunk-6N6L5HTD.js";export{a as PROJECT_FILE,f as measuredRoot,b as readSuite,d as servicesIn,e as suiteRoot,c as suitesIn,g as withCheckedContracts};
