/** A program that starts a service and the driver, prints its owner's mark, and waits: to be killed. Takes the root. */
import { ownerOf } from '../../src/host/machine/proc.ts';
import { processRuntime } from '../../src/runtime/process/runtime.ts';
import { httpLoad, optionsOf, pythonService } from './plain-service.ts';

const [, , root = ''] = process.argv;
const runtime = await processRuntime(optionsOf(root));
const running = await runtime.start(pythonService('', { process: { build: [], command: ['sleep', '120'] } }));
process.on('SIGUSR2', () => {
  throw new Error('crashed');
});
process.stdout.write(`${ownerOf(process.pid)}\n`);
await running.play([httpLoad(running, { ratePerSecond: 5, seconds: 60 })], new AbortController().signal);
