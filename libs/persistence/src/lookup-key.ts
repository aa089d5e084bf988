import { ConfigError, SecretUnreadable, type SecretBox } from '#platform';
import { bytea, nullable } from './postgres-types';
import type { Queryable } from './database';
import { statement } from './statement';

// The first process stores its key, sealed, and its check value. An older schema has only the check value.
const AGREE = statement({
  name: 'instance.agree_on_lookup_key',
  params: { check: bytea, sealed: bytea },
  row: { sealed: nullable(bytea) },
  sql: `UPDATE instance SET key_check = COALESCE(key_check, :check),
     sealed_lookup_key = COALESCE(sealed_lookup_key, CASE WHEN COALESCE(key_check, :check) = :check THEN :sealed::bytea END)
   RETURNING sealed_lookup_key AS sealed`,
});

/**
 * Gives a process the lookup key that all others use.
 * @throws ConfigError if its encryption key does not match this database: it could not open any sealed value
 */
export async function agreeOnLookupKey(database: Queryable, secrets: SecretBox): Promise<void> {
  for (const { check, sealed } of secrets.lookupCandidates) {
    const [row] = await database.rows(AGREE, { check, sealed });
    if (row?.sealed) return adopt(row.sealed, secrets);
  }
  throw wrongKey();
}

function adopt(sealed: Buffer, secrets: SecretBox): void {
  try {
    secrets.adoptLookupKey(sealed);
  } catch (error) {
    throw error instanceof SecretUnreadable ? wrongKey() : error;
  }
}

const wrongKey = (): ConfigError =>
  new ConfigError(
    'The encryption key is not the one this database is used with: give every process the same ENCRYPTION_KEY or ENCRYPTION_KEY_FILE.',
  );
