/**
 * A program that starts a service and a load tool, prints its owner's mark, and waits: to be killed. Takes the root, and the
 * driver's folder if the driver is to play.
 */
import { ownerOf } from '../../src/host/machine/proc.ts';
import { processRuntime } from '../../src/runtime/process/runtime.ts';
import { command, optionsOf, pythonService } from './plain-service.ts';

const [, , root = '', driverFolder = ''] = process.argv;
const options = optionsOf(root);
const tools = driverFolder === '' ? options.tools : { ...options.tools, driverFolder };
const runtime = await processRuntime({ ...options, tools });
const running = await runtime.start(pythonService('', { process: { build: [], command: ['sleep', '120'] } }));
process.on('SIGUSR2', () => {
  throw new Error('crashed');
});
process.stdout.write(`${ownerOf(process.pid)}\n`);
const never = new AbortController().signal;
if (driverFolder === '') {
  await running.load([command({ limitSeconds: 60 })], never);
} else {
  const requests = [{ call: 'GET /', body: undefined }];
  const target = { address: running.loadAddress, requests, proto: undefined };
  const load = { kind: 'open', target, ratePerSecond: 5, seconds: 60, workers: 2, timeoutSeconds: 5 } as const;
  await running.play([{ tool: 'vegeta', load }], never);
}
