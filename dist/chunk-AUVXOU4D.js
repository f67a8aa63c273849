#!/usr/bin/env node
import { createRequire as wiregaugeRequire } from 'node:module';
import { fileURLToPath as wiregaugePath } from 'node:url';
const require = wiregaugeRequire(import.meta.url);
const __filename = wiregaugePath(import.meta.url), __dirname = wiregaugePath(new URL('.', import.meta.url));
import{a as t}from"./chunk-6N6L5HTD.js";function c(e,n){return n===void 0?e:`${e} (${n})`}t(c,"withCode");var o=class extends Error{static{t(this,"KnownError")}static code="WG-900";code;next;brief;printed;framed;constructor(n,r={}){super(n,r.cause===void 0?void 0:{cause:r.cause}),this.name=new.target.name,this.code=r.code??d(new.target.code,r.cause),this.next=r.next,this.brief=r.brief??n,this.printed=r.printed||void 0,this.framed=r.framed}};function d(e,n){return n instanceof o&&e.endsWith("00")?n.code:e}t(d,"codeOf");var s=class extends o{static{t(this,"ConfigError")}static code="WG-100"},i=class extends o{static{t(this,"EnvironmentError")}static code="WG-200"},a=class extends o{static{t(this,"MeasurementError")}static code="WG-400"};function h(e){return e instanceof Error?e.message:String(e)}t(h,"messageOf");export{c as a,o as b,s as c,i as d,a as e,h as f};
