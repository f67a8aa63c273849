import { contentOf, mapIn, textIn } from '../../../../config/yaml/lines.ts';
import { isBelow, type RepositoryFolder } from '../../proposal/places.ts';
import type { ProgramManifest, ProposedProcess } from '../../proposal/proposal.ts';
import { NODE_SOURCES } from '../../routes/node-routes.ts';
import { fixedPort } from '../fixed-port.ts';
import { portVariable } from '../port-variable.ts';
import { packageTool } from './packages.ts';
import { nodeCommand } from './start.ts';

const NODE_SERVERS = [
  ...['express', 'fastify', 'koa', '@hapi/hapi', '@nestjs/core', 'next', 'hono', 'restify', 'polka'],
  ...['@tinyhttp/app', 'h3'],
];

const NODE_GRAPHQL = [
  ...[
    'json-graphql-server',
    'apollo-server',
    'apollo-server-express',
    '@apollo/server',
    'graphql-yoga',
    'graphql-http',
  ],
  ...['express-graphql', 'mercurius', '@nestjs/graphql'],
];

/** Packages that listen on 4000 by default. */
const AT_4000 = ['apollo-server', '@apollo/server', 'graphql-yoga'];

const NODE_GRPC = ['@grpc/grpc-js', 'grpc', 'nice-grpc', '@connectrpc/connect-node'];

/** Program described by a package.json. */
export function nodeManifest(text: string, place: RepositoryFolder): ProgramManifest {
  const found = mapIn(contentOf(text));
  const packages = nodePackages(text);
  const usualPort = packages.some((name) => NODE_SERVERS.includes(name)) ? 3000 : graphqlPort(packages);
  const hasGrpc = packages.some((name) => NODE_GRPC.includes(name));
  const tool = packageTool(found, place);
  const build = packages.length === 0 ? [] : [tool.install];
  const hasBuild = textIn(mapIn(found['scripts'])['build']) !== undefined;
  const compile = hasBuild ? [tool.script('build')] : tool.buildAll === undefined ? [] : [tool.buildAll];
  // For a library or a tool, a program is no service.
  const command = nodeCommand(found, place, usualPort !== undefined || hasGrpc);
  return {
    name: textIn(found['name'])?.replace(/^@[^/]*\//, ''),
    httpPort: usualPort,
    hasGrpc,
    process: command && { build: [...build, ...compile], ...atItsPort(command, place) },
  };
}

/** True if a package.json names a server of GraphQL. */
export function hasGraphqlServer(text: string): boolean {
  return nodePackages(text).some((one) => NODE_GRAPHQL.includes(one));
}

/** A command with the variable that the sources read the port from, if that is another one than PORT; or with the port that they name. */
function atItsPort(
  command: readonly string[],
  { folder, files }: RepositoryFolder,
): Pick<ProposedProcess, 'command' | 'port'> {
  const own = files.filter(({ path }) => isBelow(path, folder) && NODE_SOURCES.test(path));
  const sources = own.map(({ text }) => text);
  const variable = portVariable(sources);
  const isPlain = command.every((part) => /^[\w./:=@-]+$/.test(part));
  const port = isPlain && variable === '' ? fixedPort(sources) : undefined;
  return variable === '' || !isPlain
    ? { command, ...(port !== undefined && { port }) }
    : { command: ['sh', '-c', `${variable}exec ${command.join(' ')}`] };
}

function nodePackages(text: string): readonly string[] {
  return Object.keys(mapIn(mapIn(contentOf(text))['dependencies']));
}

function graphqlPort(packages: readonly string[]): number | undefined {
  const isServer = packages.some((name) => NODE_GRAPHQL.includes(name));
  return isServer ? (packages.some((name) => AT_4000.includes(name)) ? 4000 : 3000) : undefined;
}
