import { readFileSync } from 'node:fs';
import { ConfigError } from '../config/config-error';
import type { Config } from '../config/table';

const KEY_FORM = /^[0-9a-f]{64}$/i;

/**
 * The 32 bytes that encrypt stored secrets, from ENCRYPTION_KEY or the file that ENCRYPTION_KEY_FILE names.
 *
 * @throws ConfigError where neither or both are set, or what is there is no key; the sentence never repeats the value
 */
export function readEncryptionKey(config: Pick<Config, 'ENCRYPTION_KEY' | 'ENCRYPTION_KEY_FILE'>): Buffer {
  const { ENCRYPTION_KEY: value, ENCRYPTION_KEY_FILE: file } = config;
  if (value && file) throw new ConfigError('Set one of ENCRYPTION_KEY and ENCRYPTION_KEY_FILE, not both.');
  if (value) return parseKey(value, 'ENCRYPTION_KEY');
  if (file) return parseKey(readKeyFile(file), `The file ${file} (ENCRYPTION_KEY_FILE)`);
  throw new ConfigError(
    'Set ENCRYPTION_KEY or ENCRYPTION_KEY_FILE: a key of 32 bytes, made for example by `openssl rand -hex 32`.',
  );
}

function parseKey(text: string, where: string): Buffer {
  if (KEY_FORM.test(text.trim())) return Buffer.from(text.trim(), 'hex');
  throw new ConfigError(`${where} must hold 64 hexadecimal digits, such as \`openssl rand -hex 32\` prints.`);
}

function readKeyFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError(`ENCRYPTION_KEY_FILE names ${file}, which cannot be read (${code}).`);
  }
}
