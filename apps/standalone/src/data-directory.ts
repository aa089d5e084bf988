import { randomBytes } from 'node:crypto';
import { accessSync, constants } from 'node:fs';
import { join, resolve } from 'node:path';
import { ConfigError, KEY_FILE_NAME, makeDirectory, readEncryptionKey, type Config } from '#platform';
import { readOrCreate } from './exclusive-file';

/** DATA_DIR as an absolute path; made (mode 0700) if it is missing. @throws ConfigError */
export function prepareDataDirectory(config: Config): string {
  const directory = resolve(config.DATA_DIR);
  try {
    makeDirectory(directory);
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
    return directory;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason =
      code === 'EEXIST' || code === 'ENOTDIR' ? 'is not a directory' : `cannot be written (${code})`;
    throw new ConfigError(`DATA_DIR ${directory} ${reason}: name a directory that this account may write.`);
  }
}

/**
 * The configuration with an encryption key: the configured one, otherwise one that is made once in the data directory.
 * @throws ConfigError for an invalid key
 */
export function withEncryptionKey(config: Config, dataDirectory: string): Config {
  const keyed =
    config.ENCRYPTION_KEY || config.ENCRYPTION_KEY_FILE
      ? config
      : { ...config, ENCRYPTION_KEY_FILE: keyFileIn(dataDirectory) };
  readEncryptionKey(keyed);
  return keyed;
}

function keyFileIn(dataDirectory: string): string {
  const file = join(dataDirectory, KEY_FILE_NAME);
  readOrCreate(file, () => randomBytes(32).toString('hex'));
  return file;
}
