import type { ExternalIdentityRepository, ReadIdentity } from '#persistence';
import type { SourceAccounts } from '../directories/source-accounts';
import type { IdentitySource } from '../directories/identity-source';
import { ProvisioningFailed } from '../provisioning-failed';
import type { DirectoryPerson } from './directory-content';
import type { GonePeople } from './gone-people';

/** A person with an account, and their place in the directory. */
export interface PlacedAccount {
  readonly uid: string;
  readonly place: string | null;
  readonly goneAt: Date | null;
}

/** Number of accounts that are made at once: each is on disk before it is reported, and Postgres writes several together. */
const AT_ONCE = 4;

/** User ids by place in the directory. */
export const uidsAt = (accounts: Iterable<PlacedAccount>): Map<string, string> =>
  new Map(
    [...accounts].flatMap(({ uid, place, goneAt }) =>
      place && goneAt === null ? [[place, uid] as const] : [],
    ),
  );

/** Accounts of the people of a read directory. */
export class ReadPeople {
  constructor(
    private readonly source: IdentitySource,
    private readonly accounts: SourceAccounts,
    private readonly identities: ExternalIdentityRepository,
    private readonly gone: GonePeople,
  ) {}

  /**
   * Makes accounts, and updates accounts of changed people; unchanged ones cost nothing.
   * @returns the number of people without an account, and all present places
   */
  async keep(
    people: readonly DirectoryPerson[],
    known: readonly ReadIdentity[],
  ): Promise<{ refused: number; now: Iterable<PlacedAccount> }> {
    const bySubject = new Map<string, PlacedAccount>(known.map((identity) => [identity.subject, identity]));
    const before = new Map(known.map((identity) => [identity.subject, identity]));
    let refused = 0;
    for (let at = 0; at < people.length; at += AT_ONCE) {
      const some = people.slice(at, at + AT_ONCE);
      const kept = await Promise.all(some.map((person) => this.keepOne(person, before.get(person.subject))));
      kept.forEach((placed, index) => {
        if (placed) bySubject.set(some[index]!.subject, placed);
        else refused++;
      });
    }
    return { refused, now: bySubject.values() };
  }

  private async keepOne(
    person: DirectoryPerson,
    known: ReadIdentity | undefined,
  ): Promise<PlacedAccount | undefined> {
    const { subject, place } = person;
    try {
      const uid =
        known && isSame(person, known) ? known.uid : (await this.accounts.keep(this.source, person)).uid;
      // A reading that broke off may have disabled the account without the note that the person is gone.
      if (known && (known.goneAt !== null || known.isDisabled)) await this.gone.takeBack(known);
      if (known?.place !== place) await this.identities.notePlace(this.source, subject, { place });
      return { uid, place, goneAt: null };
    } catch (error) {
      if (error instanceof ProvisioningFailed) return undefined;
      throw error;
    }
  }
}

const isSame = (person: DirectoryPerson, known: ReadIdentity): boolean =>
  (person.displayName || known.uid) === known.displayName &&
  (person.email ?? known.email ?? '') === (known.email ?? '') &&
  (person.quotaBytes === undefined || person.quotaBytes === known.quotaBytes);
