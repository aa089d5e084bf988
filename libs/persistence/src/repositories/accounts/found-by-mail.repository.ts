import { Injectable } from '@nestjs/common';
import { Database } from '../../database';
import { bool, text } from '../../postgres-types';
import { statement } from '../../statement';

/**
 * An address of two accounts names nobody. Nor does one that its own user wrote, where people may change their address: they could take
 * that of somebody else.
 */
const FIND = statement({
  name: 'found_by_mail.find',
  params: { mail: text, mayBeOwnWord: bool },
  row: { uid: text },
  sql: `SELECT a.uid FROM user_account a
   WHERE lower(a.email) = lower(:mail) AND a.enabled
     AND EXISTS (SELECT FROM user_preference p WHERE p.uid = a.uid AND p.app = 'federation' AND p.key = 'found_by_mail' AND p.value = 'yes')
     AND NOT EXISTS (SELECT FROM user_account b WHERE lower(b.email) = lower(:mail) AND b.uid <> a.uid)
     AND (NOT :mayBeOwnWord::boolean OR EXISTS (SELECT FROM external_identity i WHERE i.uid = a.uid AND 'email' = ANY (i.managed_fields)))`,
});

/** Finds people who agreed to be found by their whole mail address. */
@Injectable()
export class FoundByMailRepository {
  constructor(private readonly database: Database) {}

  /**
   * @param mayBeOwnWord whether users may change their mail address: then only addresses from a source of identities count
   * @returns the user id; undefined for nobody
   */
  async find(mail: string, mayBeOwnWord: boolean): Promise<string | undefined> {
    return (await this.database.rows(FIND, { mail, mayBeOwnWord }))[0]?.uid;
  }
}
