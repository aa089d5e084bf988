import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger, readConfig, type Config, type Logger } from '#platform';
import type { WholeInstance } from '../../../../apps/standalone/src';
import { basicAuth } from '../basic-auth';
import { createTestDatabase, type TestDatabase } from './test-database';

/** The administrator of every gateway for specs. */
export const ADMIN = { uid: 'admin', password: 'admin-of-the-specs' } as const;

export interface GatewayOptions {
  readonly compatibility?: Config['COMPATIBILITY'];
  /** Variables of the configuration table, besides the default ones. */
  readonly env?: Readonly<Record<string, string>>;
  /** Default: errors on standard error. */
  readonly logger?: Logger;
  /** Another gateway's database, for specs about replicas. Default: its own database. */
  readonly databaseUrl?: string;
}

export interface TestGateway {
  /** An address such as http://127.0.0.1:40123. */
  readonly url: string;
  /** Value of an Authorization header. */
  readonly adminAuth: string;
  readonly databaseUrl: string;
  readonly dataDirectory: string;
  readonly instance: WholeInstance;
  /** Stops it and removes its database and files. */
  stop(): Promise<void>;
}

/** The whole product in this process, on a free port, with its own database and directory. */
export async function startGateway(options: GatewayOptions = {}): Promise<TestGateway> {
  const own: TestDatabase | undefined = options.databaseUrl ? undefined : await createTestDatabase();
  const databaseUrl = options.databaseUrl ?? own!.url;
  const dataDirectory = mkdtempSync(join(tmpdir(), 'drawbridge-gateway-'));
  const clean = async (): Promise<void> => {
    await own?.drop();
    rmSync(dataDirectory, { recursive: true, force: true });
  };
  const config = readConfig({
    PORT: '0',
    DATA_DIR: dataDirectory,
    DATABASE_URL: databaseUrl,
    DATABASE_POOL: '5',
    ADMIN_USER: ADMIN.uid,
    ADMIN_PASSWORD: ADMIN.password,
    COMPATIBILITY: options.compatibility ?? '',
    LOG_LEVEL: 'error',
    ...options.env,
  });
  try {
    // Loaded only when a gateway is started, not by every spec that imports this library.
    const { startInstance } = await import('../../../../apps/standalone/src/index.js');
    const logger = options.logger ?? createLogger(config.LOG_LEVEL);
    const instance = await startInstance({ config, logger, announce: () => undefined });
    const stop = async (): Promise<void> => {
      await instance.stop();
      await clean();
    };
    const adminAuth = basicAuth(ADMIN.uid, ADMIN.password);
    return { url: instance.app.url, adminAuth, databaseUrl, dataDirectory, instance, stop };
  } catch (error) {
    await clean();
    throw error;
  }
}
