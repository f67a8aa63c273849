import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fillDisk, mountSmall } from '../../support/small-disk.ts';
import type { Play, Scene } from '../play.ts';
import { elsewhere, type Row } from '../row.ts';

/** The shortest measurement of a service that does what the fault says. */
export const RUN = ['run', '--profile', 'smoke', '--mode', 'open', '--no-versus', '--runtime', 'process'];

/** Repository whose service has a fault. */
export function serviceWith(fault: string, readySeconds = 30): (scene: Scene) => void {
  return (scene) => {
    cpSync('tests/fixtures/services/hostile.mjs', join(scene.root, 'hostile.mjs'));
    scene.write(
      'wiregauge.yml',
      `services:
  shop:
    protocol: rest
    port: 8080
    process: { command: [node, hostile.mjs, ${JSON.stringify(scene.outside)}] }
    environment: { FAULT: ${fault} }
    ready: { path: /ok, timeoutSeconds: ${readySeconds} }
operations:
  - { name: Item, rest: { path: /item } }
tiers: [{ name: low, users: 10, spawnPerSecond: 10, thinkSeconds: 0.1 }]
saturation: { workers: 2 }
`,
    );
  };
}

const OUT = ['out'];

const measured = (fault: string, outcome: Omit<Play, 'argv' | 'leaves'>): Play => ({
  ...{ argv: RUN, set: serviceWith(fault), leaves: OUT },
  ...outcome,
});

const BAD = 'tests/serial/bad-service.test.ts';
const CLI = 'tests/serial/cli.test.ts';
const ANSWERS = 'tests/parallel/client-rest-answers.test.ts';
const ENDS = 'tests/serial/processes-end.test.ts';
const PROCESSES = 'tests/serial/processes.test.ts';
const MEMBERS = 'tests/serial/processes-members.test.ts';
const NEEDS = 'tests/serial/processes-needs.test.ts';

/** What a service does, from its start to its end. */
export const SERVICES: readonly Row[] = [
  {
    fault: 'a service becomes a daemon with a session and an environment of its own',
    found: 'H10',
    by: measured('daemon', { code: 0, prints: /became a daemon[\s\S]*stopping node \(pid \d+\)[\s\S]*\[escaped\]/ }),
  },
  {
    fault: 'a service closes all connections once load began',
    found: 'H15',
    by: measured('closes', { code: 2, prints: /all [\d,]+ requests failed under tier low/ }),
  },
  {
    fault: 'the disk is full at the end of a measurement',
    found: 'H11',
    by: measured('none', {
      set(scene) {
        serviceWith('none')(scene);
        mountSmall(join(scene.root, 'out'), 256);
      },
      meanwhile: { at: /measuring, offered/, act: ({ root }) => fillDisk(join(root, 'out'), 0) },
      code: 2,
      prints: /Figures at each load[\s\S]*the measurement goes on[\s\S]*cannot be written: the disk is full \(ENOSPC\)/,
    }),
    needs: 'root',
    nightly: true,
  },
  {
    fault: 'a service limits its rate once load began',
    by: measured('limits', { code: 2, prints: /x HTTP 429[\s\S]*The service limits its rate/ }),
    nightly: true,
  },
  {
    fault: 'a service of a versus closes all connections once load began',
    found: 'H15',
    by: {
      argv: ['versus', 'good', 'shop', '--profile', 'smoke', '--runtime', 'process'],
      set: (scene) => {
        serviceWith('closes')(scene);
        const text = readFileSync(join(scene.root, 'wiregauge.yml'), 'utf8');
        const [, service = ''] = /^( {2}shop:\n[\s\S]*?)^operations/m.exec(text) ?? [];
        const good = service.replace('shop:', 'good:').replace('FAULT: closes', 'FAULT: none');
        scene.write('wiregauge.yml', text.replace(service, service + good));
      },
      code: 2,
      prints: /over 1% of the requests failed in shop|none of \d+ rounds was kept/,
      printsNot: /times as many requests/,
      leaves: OUT,
    },
    nightly: true,
  },
  {
    fault: 'memory of a service grows by 30 MB each second, below its limit',
    found: 'H18',
    by: measured('leaks', { code: 0, prints: /\[leaking\]/ }),
    nightly: true,
  },
  {
    fault: 'a service prints commands of a workflow, escapes and marks of direction, and ends',
    found: 'H2',
    by: measured('dies', {
      environment: () => ({ GITHUB_ACTIONS: 'true' }),
      code: 2,
      prints: /shop exited under/,
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they may not come out.
      printsNot: /^\s*::set-output|##\[error\]forged|\u001b\[2J|\u202e|\u0085/m,
    }),
  },
  {
    fault: 'bodies become endless once load began',
    found: 'H14',
    by: measured('endless', {
      code: 2,
      prints: /had no end within|all [\d,]+ requests failed/,
      printsNot: /check the load tools|exit code 124/,
    }),
    nightly: true,
  },
  {
    fault: 'answers take three seconds once load began',
    by: measured('late', { code: 0, prints: /Marked|saturated/ }),
    nightly: true,
  },
  {
    fault: 'a service prints 600 KB for each request',
    by: measured('floods', { code: 0, prints: /achieved/ }),
    nightly: true,
  },
  elsewhere(
    'a database of a service dies in each round',
    'tests/unit/measure/faults.test.ts',
    'whose database dies in each round says whose it is',
  ),
  elsewhere('a service redirects', BAD, "'redirect'"),
  elsewhere('a service answers 503', BAD, "'error'"),
  elsewhere('a service answers with a page instead of JSON', BAD, "'page'"),
  elsewhere('a service resets connections while answers are verified', BAD, "'reset'"),
  elsewhere('a service never answers a request', BAD, "'late'"),
  elsewhere('a service calls plain bytes gzip', BAD, "'damaged'"),
  elsewhere('a service compresses in a way that was not requested', BAD, "'strange'"),
  elsewhere('an answer is longer than 4 MiB', BAD, "'long'"),
  elsewhere('an answer has half a million brackets', BAD, "'deep'"),
  elsewhere('a certificate is self-signed', BAD, 'with an untrusted certificate'),
  elsewhere('answers differ after each start', BAD, 'that answers differently after each start'),
  elsewhere('a service keeps memory with each request, over its limit', BAD, "write('hog')"),
  elsewhere('a service is over its limit of memory from the start', ENDS, 'ends a service that uses more memory'),
  elsewhere('an answer comes in chunks, the first of them late', BAD, 'answers compressed, in chunks'),
  elsewhere('a body drips and never ends', ANSWERS, 'one that begins and does not end in time'),
  elsewhere('an answer unpacks to more than the limit', ANSWERS, 'larger than the limit when it is unpacked'),
  elsewhere('a service is silent at its start', CLI, 'gives up on a service that never gets ready'),
  elsewhere('a port is taken', CLI, 'says that a port is taken'),
  elsewhere('two services answer differently', CLI, 'measures nothing where two services answer differently'),
  elsewhere('a service dies in the middle', CLI, 'keeps what was measured when a service dies in the middle'),
  elsewhere('a folder for results cannot be written to', CLI, 'refuses a folder that cannot be written to'),
  elsewhere('a service takes its port twice', ENDS, 'says that the port was taken'),
  elsewhere('a service kills itself', ENDS, 'names the signal'),
  elsewhere('a program of a service is missing', ENDS, 'says that the program is missing'),
  elsewhere('a service ignores SIGTERM, and so do its children', ENDS, 'ends a service that ignores SIGTERM'),
  elsewhere('a child leaves the process group', ENDS, 'also what left its process group'),
  elsewhere('a service floods its log', PROCESSES, 'keeps only the last lines of a talkative service'),
  elsewhere('a build fails', PROCESSES, 'names the command, its exit code and what it printed when a build fails'),
  elsewhere('a build is aborted', PROCESSES, 'is ended by an abort, and leaves nothing running'),
  elsewhere('taskset is missing', PROCESSES, 'names util-linux where taskset is missing'),
  elsewhere('a core cannot be used', PROCESSES, 'says that a core cannot be used'),
  elsewhere('a member of a service hangs', MEMBERS, 'are named if they hang'),
  elsewhere('a member never gets ready', MEMBERS, 'are named if they do not get ready'),
  elsewhere('a need is over its limit of memory', NEEDS, 'is ended over its own limit of memory'),
  elsewhere('a run is aborted while it waits for a need', NEEDS, 'is waited for no longer after an abort'),
  elsewhere(
    'reflection imports hundreds of thousands of files',
    'tests/parallel/reflection-hostile.test.ts',
    'is not asked for all of them',
  ),
  elsewhere(
    'reflection sends a file that cannot be read',
    'tests/parallel/reflection-hostile.test.ts',
    'a file that cannot be read is refused',
  ),
  elsewhere(
    'reflection refuses at any length',
    'tests/parallel/reflection-hostile.test.ts',
    'a refusal of any length is a line',
  ),
];
