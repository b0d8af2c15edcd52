// Code steps in a test: the real sandbox, with the test's clock and the same "random" numbers each time.
import type { Sandbox } from '../engine/ports/sandbox.ts'

export const fixedTimeSandbox = (sandbox: Sandbox, now: () => number): Sandbox => ({
  // On the first line, so that the line numbers of errors stay true.
  run: (request) => sandbox.run({ ...request, code: `${preludeFor(now())}${request.code}` }),
})

const preludeFor = (timeMs: number): string =>
  `{const D=Date,now=()=>${timeMs};let n=1;Math.random=()=>(n=n*16807%2147483647)/2147483647;` +
  'globalThis.Date=new Proxy(D,{construct:(d,a,t)=>Reflect.construct(d,a.length?a:[now()],t===globalThis.Date?d:t),' +
  "apply:()=>new D(now()).toString(),get:(d,k)=>k==='now'?now:Reflect.get(d,k)})};"
