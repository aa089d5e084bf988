import { LdapConnection, LdapFailure } from './ldap-connection';
import type { LdapSettings } from './ldap-settings';

/** Time for which a server without an answer is tried last. */
const AVOIDED_MS = 30_000;

/** The servers of a directory: the first one that answers is used. */
export class LdapServers {
  /** Times until which servers are tried last, by their position in the list. */
  private readonly avoidedUntil = new Map<number, number>();

  constructor(readonly settings: LdapSettings) {}

  /**
   * Runs work over one connection. If a server fails, all work is repeated with the next one.
   * @throws LdapFailure of the last server
   */
  async with<T>(work: (connection: LdapConnection) => Promise<T>): Promise<T> {
    let failure = new LdapFailure('no server is configured');
    for (const index of this.inOrder()) {
      try {
        const done = await this.at(index, work);
        this.avoidedUntil.delete(index);
        return done;
      } catch (error) {
        if (!(error instanceof LdapFailure)) throw error;
        this.avoidedUntil.set(index, Date.now() + AVOIDED_MS);
        failure = error;
      }
    }
    throw failure;
  }

  /** Tries one server, for operators. @throws LdapFailure */
  async at<T>(index: number, work: (connection: LdapConnection) => Promise<T>): Promise<T> {
    const connection = await LdapConnection.open(this.settings, this.settings.urls[index]!);
    try {
      return await work(connection);
    } finally {
      await connection.close();
    }
  }

  private inOrder(): number[] {
    const isAvoided = (index: number): number => Number((this.avoidedUntil.get(index) ?? 0) > Date.now());
    return [...this.settings.urls.keys()].sort((one, other) => isAvoided(one) - isAvoided(other));
  }
}
