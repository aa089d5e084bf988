import { randomInt } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AccountDirectory, createFirstAdministrator, PasswordHasher, ProvisioningFailed } from '#identity';
import { ChangeFeed, type Database } from '#persistence';
import { ConfigError, LOGGER, type Config, type Logger } from '#platform';
import { readOrCreate } from './exclusive-file';

/** Letters and digits that are hard to confuse. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const GENERATED_LENGTH = 20;

const passwordFileOf = (dataDirectory: string): string => join(dataDirectory, 'admin-password');

/**
 * Creates the administrator if there is no account yet; a later start changes nothing. A generated password is written only to
 * its file, because output and logs are stored and read by others.
 */
export async function ensureFirstAdministrator(
  database: Database,
  config: Config,
  dataDirectory: string,
): Promise<void> {
  if (config.ADMIN_PASSWORD) return create(database, config, config.ADMIN_PASSWORD);
  const accounts = await database.dataSource.query<{ any: boolean }[]>(
    'SELECT EXISTS (SELECT 1 FROM user_account) AS any',
  );
  if (accounts[0]!.any) return;
  // The password is stored before the account is made: otherwise a crash in between could leave an account with an unknown password.
  await create(database, config, readOrCreate(passwordFileOf(dataDirectory), generatePassword));
}

async function create(database: Database, config: Config, password: string): Promise<void> {
  try {
    await createFirstAdministrator(database, config, { uid: config.ADMIN_USER, password });
  } catch (error) {
    if (!(error instanceof ProvisioningFailed)) throw error;
    throw new ConfigError(`ADMIN_USER or ADMIN_PASSWORD cannot be used: ${error.message}.`);
  }
}

function generatePassword(): string {
  return Array.from({ length: GENERATED_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

/** The network of this process itself. */
const HERE = '';

/** The file with the generated password, while it is still the administrator's. */
export function keptPasswordFile(dataDirectory: string): string | undefined {
  const file = passwordFileOf(dataDirectory);
  return existsSync(file) ? file : undefined;
}

/** Removes the stored password now if it is no longer the administrator's, otherwise as soon as it is changed. */
export async function forgetChangedPassword(
  nest: NestFastifyApplication,
  uid: string,
  dataDirectory: string,
): Promise<void> {
  const file = passwordFileOf(dataDirectory);
  const [accounts, hasher] = [nest.get(AccountDirectory), nest.get(PasswordHasher)];
  const forgetIfChanged = async (): Promise<void> => {
    if (!existsSync(file)) return;
    const account = await accounts.find(uid);
    const kept = readFileSync(file, 'utf8').trim();
    if (!(await hasher.verify(account?.passwordHash, kept, 'signIn', HERE))) rmSync(file, { force: true });
  };
  nest.get(ChangeFeed).onChange((topic, key) => {
    if (topic !== 'account' || key !== uid) return;
    forgetIfChanged().catch((error: unknown) => {
      nest.get<Logger>(LOGGER).warn({ err: error }, 'the kept password stays until the next change or start');
    });
  });
  await forgetIfChanged();
}
