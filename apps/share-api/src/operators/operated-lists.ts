import { Inject, Injectable } from '@nestjs/common';
import { OcsFailure } from '#ocs/http';
import type { OcsValue } from '#ocs/protocol';
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

  constructor(
    database: Database,
    secrets: SecretBox,
    settings: RuntimeSettings,
    capabilities: CapabilityRegistry,
    @Inject(CONFIG) config: Config,
  ) {
    this.lists = new Map(
      Object.entries({
        ...listsOfShares(database, settings),
        ...listsOfAccounts(database, secrets, config),
        ...listsOfTrust(database, secrets),
        ...listsOfInstance(database, secrets, config, capabilities),
      }),
    );
  }

  /** @throws OcsFailure for an unknown list, or if its account is missing */
  async read(name: string, asked: AskedRows): Promise<OcsValue[]> {
    return (await this.named(name, asked.uid).read(asked)).map(recordOf);
  }

  /** @throws OcsFailure for an unknown action or entry */
  async act(name: string, action: string, entry: ChosenEntry): Promise<OcsValue> {
    const { actions = {} } = this.named(name, entry.uid);
    const work = Object.hasOwn(actions, action) ? actions[action] : undefined;
    if (!work) throw new OcsFailure(404, 'There is no such action');
    return recordOf((await work(entry)) ?? {});
  }

  private named(name: string, uid: string): OperatedList {
    const list = this.lists.get(name);
    if (!list) throw new OcsFailure(404, 'There is no such list');
    if (list.ofAccount && uid === '') throw new OcsFailure(400, 'Please give the uid of an account');
    return list;
  }
}
