import { Inject, Injectable } from '@nestjs/common';
import { OcsFailure } from '#ocs/http';
import type { OcsValue } from '#ocs/protocol';
import { administrationOn, type UserAccounts } from '#identity';
import { Database } from '#persistence';
import { CONFIG, SecretBox, type Config } from '#platform';
import { CapabilityRegistry, RuntimeSettings } from '#settings';
import { listsOfAccounts } from './lists/lists-of-accounts';
import { listsOfInstance } from './lists/lists-of-instance';
import { listsOfShares } from './lists/lists-of-shares';
import { listsOfTrust } from './lists/lists-of-trust';
import { recordOf, type AskedRows, type ChosenEntry, type OperatedList } from './lists/operated-list';

/** All lists of a running instance that operators read and change, except partners, messages and settings. */
@Injectable()
export class OperatedLists {
  private readonly lists: ReadonlyMap<string, OperatedList>;
  private readonly users: UserAccounts;

  constructor(
    database: Database,
    secrets: SecretBox,
    settings: RuntimeSettings,
    capabilities: CapabilityRegistry,
    @Inject(CONFIG) config: Config,
  ) {
    this.users = administrationOn(database, config).users;
    this.lists = new Map(
      Object.entries({
        ...listsOfShares(database, settings),
        ...listsOfAccounts(database, secrets, config),
        ...listsOfTrust(database, secrets),
        ...listsOfInstance(database, secrets, config, capabilities),
      }),
    );
  }

  /**
   * @param after id of the last row of the page before; empty for the first page
   * @throws OcsFailure for an unknown list, if its account is missing, or for an invalid id
   */
  async read(name: string, after: string, asked: Omit<AskedRows, 'after'>): Promise<OcsValue[]> {
    const list = this.named(name, asked.uid);
    if (!list.isPaged && after !== '') return [];
    if (!/^\d{0,15}$/.test(after)) throw new OcsFailure(400, 'after is a number');
    const uid = await this.uidFor(list, asked.uid);
    return (await list.read({ ...asked, uid, after: Number(after) })).map(recordOf);
  }

  /** @throws OcsFailure for an unknown action or entry */
  async act(name: string, action: string, entry: ChosenEntry): Promise<OcsValue> {
    const list = this.named(name, entry.uid);
    const { actions = {} } = list;
    const work = Object.hasOwn(actions, action) ? actions[action] : undefined;
    if (!work) throw new OcsFailure(404, 'There is no such action');
    return recordOf((await work({ ...entry, uid: await this.uidFor(list, entry.uid) })) ?? {});
  }

  /** A user id in the spelling of its account. @throws ProvisioningFailed user-unknown, for a list of one account */
  private async uidFor({ ofAccount }: OperatedList, uid: string): Promise<string> {
    return ofAccount ? (await this.users.get(uid)).uid : this.users.spelled(uid);
  }

  private named(name: string, uid: string): OperatedList {
    const list = this.lists.get(name);
    if (!list) throw new OcsFailure(404, 'There is no such list');
    if (list.ofAccount && uid === '') throw new OcsFailure(400, 'Please give the uid of an account');
    return list;
  }
}
