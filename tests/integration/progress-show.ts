/** A program that shows some progress on standard output; takes the pause between two states in milliseconds. */
import { setTimeout as sleep } from 'node:timers/promises';
import { openProgress } from '../../src/host/terminal/progress.ts';

const pauseMs = Number(process.argv[2]);
const progress = openProgress(process.stdout);
progress.line('plan: two services');
for (let percent = 0; percent <= 100; percent += 5) {
  const warm = percent >= 50;
  progress.show({
    doneSeconds: percent,
    totalSeconds: 100,
    label: 'rest tier high (1000 users)',
    phase: warm ? 'measuring' : 'warm-up',
    offeredRps: 3333,
    achievedRps: warm ? 3331 : undefined,
  });
  if (percent === 50) {
    progress.line('a line that stays');
  }
  await sleep(pauseMs);
}
progress.finish();
progress.line('done');
