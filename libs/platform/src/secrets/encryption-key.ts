import { readFileSync } from 'node:fs';
import { ConfigError } from '../config/config-error';
import type { Config } from '../config/table';

/** Name of the key file in DATA_DIR if no key is configured. */
export const KEY_FILE_NAME = 'encryption-key';

const KEY_FORM = /^[0-9a-f]{64}$/i;

/**
 * The 32 bytes that encrypt stored secrets, from ENCRYPTION_KEY or the file in ENCRYPTION_KEY_FILE.
 *
 * @throws ConfigError if neither or both are set, or the value is not a key; the sentence never contains the value
 */
export function readEncryptionKey(config: Pick<Config, 'ENCRYPTION_KEY' | 'ENCRYPTION_KEY_FILE'>): Buffer {
  const key = readKey('ENCRYPTION_KEY', config.ENCRYPTION_KEY, config.ENCRYPTION_KEY_FILE);
  if (key) return key;
  throw new ConfigError(
    'Set ENCRYPTION_KEY or ENCRYPTION_KEY_FILE: a key of 32 bytes, made for example by `openssl rand -hex 32`.',
  );
}

/**
 * The other key with which stored secrets may be sealed during a change of the key; undefined for none.
 * @throws ConfigError
 */
export function readPreviousKey(
  config: Pick<Config, 'ENCRYPTION_KEY_PREVIOUS' | 'ENCRYPTION_KEY_PREVIOUS_FILE'>,
): Buffer | undefined {
  const { ENCRYPTION_KEY_PREVIOUS: value, ENCRYPTION_KEY_PREVIOUS_FILE: file } = config;
  return readKey('ENCRYPTION_KEY_PREVIOUS', value, file);
}

function readKey(name: string, value: string | undefined, file: string | undefined): Buffer | undefined {
  if (value && file) throw new ConfigError(`Set one of ${name} and ${name}_FILE, not both.`);
  if (value) return parseKey(value, name);
  return file ? parseKey(readKeyFile(file, name), `The file ${file} (${name}_FILE)`) : undefined;
}

function parseKey(text: string, where: string): Buffer {
  if (KEY_FORM.test(text.trim())) return Buffer.from(text.trim(), 'hex');
  throw new ConfigError(`${where} must hold 64 hexadecimal digits, such as \`openssl rand -hex 32\` prints.`);
}

function readKeyFile(file: string, name: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError(`${name}_FILE names ${file}, which cannot be read (${code}).`);
  }
}
