import { resolve, sep } from 'node:path';
import type { Config } from './config/table';

type Sentence = (config: Config, error: NodeJS.ErrnoException) => string;

/** Failure of a connection: of one attempt, or of attempts at all addresses of a host, which has none itself. */
type ConnectionFailure = NodeJS.ErrnoException & {
  readonly address?: string;
  readonly port?: number;
  readonly hostname?: string;
  readonly errors?: readonly ConnectionFailure[];
};

const unreachable: Sentence = (config, error) => {
  const failure: ConnectionFailure = error;
  const { address, port, code } = failure.errors?.[0] ?? failure;
  return port === undefined || port === databasePort(config)
    ? `The database at ${databaseHost(config)} cannot be reached: start it, or correct DATABASE_URL.`
    : `The server at ${address}:${port} cannot be reached (${code}): start it, or correct the variable with its address.`;
};

const unknownHost: Sentence = (config, error) => {
  const { hostname }: ConnectionFailure = error;
  if (hostname === config.HOST)
    return `HOST ${config.HOST} is not known: set it to an address of this machine, such as 127.0.0.1.`;
  const database = databaseHost(config);
  return hostname === undefined || database.replace(/:\d+$/, '') === hostname
    ? `The host ${database} of DATABASE_URL is not known: correct DATABASE_URL.`
    : `The host ${hostname} is not known: correct the variable with its address.`;
};

/** The variable with the port of a failed `listen`. */
const portVariable = (config: Config, error: NodeJS.ErrnoException): 'PORT' | 'METRICS_PORT' =>
  (error as { port?: number }).port === config.METRICS_PORT ? 'METRICS_PORT' : 'PORT';

const taken: Sentence = (config, error) => {
  const name = portVariable(config, error);
  return `Port ${config[name]} on ${config.HOST} is taken: stop what listens there, or set ${name} to another one.`;
};

const notAllowed: Sentence = (config, error) => {
  const { syscall, path } = error;
  const name = portVariable(config, error);
  return syscall === 'listen'
    ? `This account may not listen on port ${config[name]}: set ${name} to 1024 or more.`
    : `${path ?? config.DATA_DIR} may not be used by this account: run as the account it belongs to, or change its owner.`;
};

/** The directory with the path of a failure, and its variable. A failed write names no path, and may be in either directory. */
function diskOf(
  config: Config,
  path: string | undefined,
): { readonly place: string; readonly variable: string } {
  const { BLOB_STORE: blobs, DATA_DIR } = config;
  const data = { place: `DATA_DIR ${DATA_DIR}`, variable: 'DATA_DIR' };
  if (blobs?.in !== 'directory') return data;
  const contents = { place: `BLOB_STORE ${blobs.path}`, variable: 'BLOB_STORE' };
  if (path === undefined)
    return { place: `${data.place} or of ${contents.place}`, variable: 'that variable' };
  return `${resolve(path)}${sep}`.startsWith(`${resolve(blobs.path)}${sep}`) ? contents : data;
}

const full: Sentence = (config, { path }) => {
  const { place, variable } = diskOf(config, path);
  return `The disk of ${place} is full: free some space, or set ${variable} to another disk.`;
};

/** One sentence for people, by the code of the system or of Postgres. */
const SENTENCES: Readonly<Record<string, Sentence>> = {
  EADDRINUSE: taken,
  EADDRNOTAVAIL: (config) =>
    `This machine has no address ${config.HOST}: set HOST to one of its own, such as 127.0.0.1.`,
  ENOTFOUND: unknownHost,
  EAI_AGAIN: unknownHost,
  EACCES: notAllowed,
  EPERM: notAllowed,
  EROFS: (config, { path }) => {
    const { place, variable } = diskOf(config, path);
    return `${path ?? place} lies on a read-only disk: set ${variable} to another one.`;
  },
  ENOSPC: full,
  ECONNREFUSED: unreachable,
  ECONNRESET: unreachable,
  ETIMEDOUT: unreachable,
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  '28P01': (config) =>
    `The database at ${databaseHost(config)} refuses the user or password: correct DATABASE_URL.`,
  '28000': (config) =>
    `The database at ${databaseHost(config)} refuses this user: correct DATABASE_URL or its pg_hba.conf.`,
  '3D000': (config) =>
    `The database that DATABASE_URL names does not exist at ${databaseHost(config)}: create it first.`,
  '42501': () => 'The user of DATABASE_URL may not make tables: make it the owner of the database.',
  '53100': (config, error) =>
    config.DATABASE_URL
      ? `The disk of the database at ${databaseHost(config)} is full: free some space there.`
      : full(config, { ...error, path: config.DATA_DIR }),
  '53300': (config) =>
    `The database at ${databaseHost(config)} has no connection left: lower DATABASE_POOL, or raise its max_connections.`,
  '57P03': (config) =>
    `The database at ${databaseHost(config)} is starting up or shutting down: try again in a moment.`,
};

/** Returns only the host, because the whole address contains a password. */
function databaseHost(config: Config): string {
  const url = config.DATABASE_URL;
  return url && URL.canParse(url) ? new URL(url).host : 'the configured address';
}

/** The embedded database has a port of its own choice. */
function databasePort({ DATABASE_URL: url }: Config): number | undefined {
  return url && URL.canParse(url) ? Number(new URL(url).port || 5432) : undefined;
}

/**
 * Explains a failed start or command in one sentence that says what to do, if the cause is known; otherwise returns the
 * error's own text.
 */
export function explainFailure(error: unknown, config: Config | undefined): string {
  const failure = error as NodeJS.ErrnoException;
  const sentence = failure.code === undefined ? undefined : SENTENCES[failure.code];
  if (config && sentence) return sentence(config, failure);
  return error instanceof Error && error.message ? error.message : String(error);
}
