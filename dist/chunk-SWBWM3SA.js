#!/usr/bin/env node
import { createRequire as wiregaugeRequire } from 'node:module';
import { fileURLToPath as wiregaugePath } from 'node:url';
const require = wiregaugeRequire(import.meta.url);
const __filename = wiregaugePath(import.meta.url), __dirname = wiregaugePath(new URL('.', import.meta.url));
import{k as c,l}from"./chunk-X67YQKG5.js";import{d as m}from"./chunk-VZ2D7QYH.js";import{a as r}from"./chunk-6N6L5HTD.js";var i=130,a=["SIGINT","SIGTERM","SIGHUP","SIGQUIT"];function b(){for(let t of a)process.on(t,()=>{process.listenerCount(t)===1&&process.exit(i)})}r(b,"exitAtSignals");async function d(t){let o=new AbortController,n=r(()=>{o.signal.aborted&&process.exit(i),c(`
wiregauge: stopping; any results so far are kept
`,"err"),o.abort()},"listener");for(let e of a)process.on(e,n);try{let e=await t(o.signal);return o.signal.aborted?i:e}catch(e){if(o.signal.aborted){let s=e instanceof m?`; ${e.message}`:"";return l(`wiregauge: interrupted before anything was measured${s}`,"err"),i}throw e}finally{for(let e of a)process.off(e,n)}}r(d,"interruptible");async function g(t,o){return await new Promise((n,e)=>{let s=r(()=>e(o.reason),"stop");o.addEventListener("abort",s,{once:!0}),t.then(n,e).finally(()=>o.removeEventListener("abort",s)),o.aborted&&s()})}r(g,"unlessAborted");var u=2**31-1;function w(t){let o=new AbortController,n=new DOMException("the time limit was reached","TimeoutError"),e=setTimeout(()=>o.abort(n),Math.min(u,Math.ceil(t)));return{signal:o.signal,[Symbol.dispose]:()=>clearTimeout(e)}}r(w,"abortAfter");export{i as a,b,d as c,g as d,w as e};
