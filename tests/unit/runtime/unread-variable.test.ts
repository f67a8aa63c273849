import { expect, test } from 'vitest';
import { unreadVariable } from '../../../src/runtime/ready.ts';

test.each([
  [['nats-server', '--port', '$PORT'], '$PORT'],
  [['./server', '--listen=${HOST}:${PORT}'], '$HOST'],
  [['initdb', '$DATA'], '$DATA'],
])('says that no shell reads %j', (command, name) => {
  expect(unreadVariable(command)).toContain(
    `${name} is not expanded, because no shell runs the command. Use a shell: [sh, -c, 'exec ${command[0]} `,
  );
});

test.each([
  [['sh', '-c', 'exec nats-server --port $PORT']],
  [['/bin/bash', '-c', 'exec nats-server --port "${PORT}"']],
  [['env', '-S', 'nats-server --port ${PORT}']],
  [['taskset', '-c', '0', 'sh', '-c', 'exec ./server $PORT']],
  [['node', 'server.js', '$PORTAL', '$HOME']],
  [[]],
])('has nothing to say of %j', (command) => {
  expect(unreadVariable(command)).toBeUndefined();
});
