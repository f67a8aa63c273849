import { describe, expect, it } from 'vitest';
import { proposed } from './repositories.ts';

const MODULE = 'module x/greeter\nrequire google.golang.org/grpc v1.70.0\n';

const main = (...lines: readonly string[]): string =>
  `package main\n\nfunc main() {\n\t${['s := grpc.NewServer()', ...lines].join('\n\t')}\n}\n`;

describe('a gRPC service without files of its contract', () => {
  it('uses server reflection if the service has it', () => {
    const { service, operations, text } = proposed({ 'go.mod': MODULE, 'main.go': main('reflection.Register(s)') });

    expect(service).toMatchObject({ protocol: 'grpc', proto: { reflection: true }, port: 50_051 });
    expect(operations).toMatchObject([{ name: 'Health', bindings: { grpc: { call: 'grpc.health.v1.Health/Check' } } }]);
    expect(text).toContain('# No file has its contract: `wiregauge init` lists its methods');
  });

  it('is never asked for routes alone', () => {
    const routes = ['/a', '/b', '/c'].map((path) => `http.HandleFunc("${path}", x)`);

    expect(proposed({ 'go.mod': MODULE, 'main.go': main() }).service?.protocol).toBe('grpc');
    expect(proposed({ 'go.mod': MODULE, 'main.go': main('reflection.Register(s)', ...routes) }).service?.protocol).toBe(
      'rest',
    );
  });

  it('is asked for the routes next to it if nothing shows its calls', () => {
    const { service, operations } = proposed({ 'go.mod': MODULE, 'main.go': main('http.HandleFunc("/items", x)') });

    expect(service?.protocol).toBe('rest');
    expect(operations).toMatchObject([{ name: 'Items' }]);
  });

  it('is given its address by a flag of any name, except those of its neighbors', () => {
    const flags = ['flag.String("metrics-addr", ":9001", "")', 'flag.String("plain-addr", ":9000", "")'];

    expect(proposed({ 'go.mod': MODULE, 'main.go': main(...flags) }).service?.process?.command.at(-1)).toBe(
      'exec .wiregauge/service --plain-addr "$HOST:$PORT"',
    );
  });
});
