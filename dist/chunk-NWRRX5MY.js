#!/usr/bin/env node
import { createRequire as wiregaugeRequire } from 'node:module';
import { fileURLToPath as wiregaugePath } from 'node:url';
const require = wiregaugeRequire(import.meta.url);
const __filename = wiregaugePath(import.meta.url), __dirname = wiregaugePath(new URL('.', import.meta.url));
import{a as r}from"./chunk-6N6L5HTD.js";function h(e,t){return t===void 0?e:`${e} (${t})`}r(h,"withCode");var o=class e extends Error{static{r(this,"KnownError")}static code="WG-900";code;next;brief;printed;framed;constructor(t,n={}){super(t,n.cause===void 0?void 0:{cause:n.cause}),this.name=new.target.name;let d=new.target.code,{code:c}=n.cause instanceof e&&d.endsWith("00")?n.cause:new.target;this.code=n.code??c,this.next=n.next,this.brief=n.brief??t,this.printed=n.printed||void 0,this.framed=n.framed}},s=class extends o{static{r(this,"ConfigError")}static code="WG-100"},i=class extends o{static{r(this,"EnvironmentError")}static code="WG-200"},a=class extends o{static{r(this,"MeasurementError")}static code="WG-400"};function l(e){return e instanceof Error?e.message:String(e)}r(l,"messageOf");export{h as a,o as b,s as c,i as d,a as e,l as f};
