import { isInWorkflow } from '../../host/workflow-command.ts';

/** Why the engine cannot be used, in one sentence without a full stop, and what to do about it. */
export interface DockerRefusal {
  readonly ok: false;
  readonly why: string;
  readonly next: string;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** DOCKER_HOST leads to another machine. */
export function otherMachine(environment: Variables): DockerRefusal {
  return refusal(
    `DOCKER_HOST is ${environment['DOCKER_HOST']}, and only an engine on this machine, behind a unix:// socket, can be measured with`,
    ways(environment, 'Leave DOCKER_HOST out (`env: { DOCKER_HOST: "" }`)', 'Unset DOCKER_HOST'),
  );
}

/** There is no socket where one should be. */
export function noSocket(socket: string, environment: Variables): DockerRefusal {
  const isAsked = (environment['DOCKER_HOST'] ?? '') !== '';
  return refusal(
    `there is no Docker socket at ${socket}${isAsked ? ', where DOCKER_HOST leads' : ''}`,
    ways(environment, 'Take a runner that has the engine (`runs-on: ubuntu-24.04`)', 'Start the engine'),
  );
}

/** The engine runs containers of another system than the services are built for. */
export function otherContainers(system: string, environment: Variables): DockerRefusal {
  return refusal(
    `the Docker engine runs containers of ${system}, and the services need those of Linux`,
    ways(environment, 'Take a Linux runner (`runs-on: ubuntu-24.04`)', 'Switch the engine to Linux containers'),
  );
}

/** What became of asking the engine behind a socket. */
export interface FailedAnswer {
  readonly socket: string;
  readonly thrown: unknown;
  /** What the engine said, if it did. */
  readonly words: string;
}

/** The socket is there, and the engine behind it is not, or does not let this user in. */
export function engineNoAnswer({ socket, thrown, words }: FailedAnswer, environment: Variables): DockerRefusal {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
  if (code === 'EACCES' || code === 'EPERM') {
    return refusal(
      `this user may not open the Docker socket ${socket}; members of the group docker may`,
      ways(environment, `On the runner, ${LET_IN}`, `As root, ${LET_IN}`),
    );
  }
  const why =
    code === 'ECONNREFUSED'
      ? `nothing listens on the Docker socket ${socket}`
      : `the Docker engine behind ${socket} gave no usable answer: ${words}`;
  return refusal(
    why,
    ways(environment, 'Start the engine in a step before (`- run: sudo systemctl start docker`)', 'Start the engine'),
  );
}

const LET_IN = 'let the user in (`usermod --append --groups docker <user>`) and start its session anew';

/** A way in a workflow or at a terminal, and the one that needs no engine. */
function ways(environment: Variables, inWorkflow: string, atTerminal: string): string {
  return isInWorkflow(environment)
    ? `${inWorkflow}, or measure plain processes: \`with: { runtime: process }\`.`
    : `${atTerminal}, or measure plain processes with --runtime process.`;
}

function refusal(why: string, next: string): DockerRefusal {
  return { ok: false, why, next };
}
