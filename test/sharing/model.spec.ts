import fc from 'fast-check';
import { modelRuns, modelSeed } from '../../libs/testing/src/full-form';
import { SharingModel } from '../../libs/testing/src/contracts/sharing-model';
import {
  FIRST_PATHS,
  GROUPS,
  PEOPLE,
  SWITCHES,
  type ModelOutcome,
  type ShareWish,
  type VisibleShares,
  type Switch,
} from '../../libs/testing/src/contracts/sharing-model-cast';
import {
  sharingSequences,
  type ModelledSystem,
} from '../../libs/testing/src/contracts/sharing-model-commands';
import { SharingGateway, type Answer, type ShareRecord } from './sharing-gateway';

const STATES = ['accepted', 'pending', 'declined'];

/** A running gateway, with separate users for each sequence: `alice` is `alice-7` there. */
class OverHttp implements ModelledSystem {
  private readonly ids = new Map<number, string>();

  private constructor(
    private readonly people: SharingGateway,
    private readonly suffix: string,
  ) {}

  static async begin(people: SharingGateway, sequence: number): Promise<OverHttp> {
    const system = new OverHttp(people, `-${sequence}`);
    for (const [name, on] of Object.entries(SWITCHES)) await system.set(name as Switch, on);
    await people.addUsers(...PEOPLE.map((uid) => system.real(uid)));
    for (const [gid, uids] of Object.entries(GROUPS))
      await people.addGroup(system.real(gid), ...uids.map((uid) => system.real(uid)));
    for (const uid of PEOPLE) await people.store(system.real(uid), ...FIRST_PATHS);
    return system;
  }

  private real(name: string): string {
    return name === '' ? '' : name + this.suffix;
  }

  async create(
    uid: string,
    { path, type, recipient, permissions }: ShareWish,
    key: number,
  ): Promise<ModelOutcome> {
    const form = {
      path,
      shareType: String(type),
      shareWith: this.real(recipient),
      permissions: String(permissions),
    };
    const answer = await this.people.share(this.real(uid), form);
    if (answer.code === 200) this.ids.set(key, (answer.data as ShareRecord).id);
    return verdict(answer);
  }

  async updatePermissions(uid: string, key: number, permissions: number): Promise<ModelOutcome> {
    return verdict(await this.call('PUT', key, uid, { permissions: String(permissions) }));
  }

  async rename(uid: string, key: number, name: string): Promise<ModelOutcome> {
    return verdict(await this.call('PUT', key, uid, { name }));
  }

  async decide(uid: string, key: number, state: 'accepted' | 'declined'): Promise<ModelOutcome> {
    const id = this.ids.get(key) ?? '0';
    return verdict(
      await this.people.shares(state === 'accepted' ? 'POST' : 'DELETE', `/pending/${id}`, this.real(uid)),
    );
  }

  async remove(uid: string, key: number): Promise<ModelOutcome> {
    return verdict(await this.call('DELETE', key, uid));
  }

  private call(method: string, key: number, uid: string, form?: Record<string, string>): Promise<Answer> {
    return this.people.shares(method, `/${this.ids.get(key) ?? '0'}`, this.real(uid), form);
  }

  addFile(uid: string, path: string): Promise<void> {
    return this.people.store(this.real(uid), path);
  }

  async move(uid: string, from: string, to: string): Promise<void> {
    expect(await this.people.move(this.real(uid), from, to)).toBe(201);
  }

  async removeEntry(uid: string, path: string): Promise<void> {
    expect(await this.people.dav('DELETE', this.real(uid), path)).toBe(204);
  }

  join(gid: string, uid: string): Promise<void> {
    return this.people.join(this.real(gid), this.real(uid));
  }

  leave(gid: string, uid: string): Promise<void> {
    return this.people.leave(this.real(gid), this.real(uid));
  }

  set(name: Switch, on: boolean): Promise<void> {
    return this.people.set(name, on ? 'yes' : 'no');
  }

  async visibleTo(uid: string): Promise<VisibleShares> {
    const [received, managed, root] = [
      await this.people.received(this.real(uid)),
      await this.people.list(this.real(uid), 'reshares=true'),
      await this.people.entries(this.real(uid)),
    ];
    return {
      managed: managed.map((record) => this.managedLine(record)).sort(),
      received: received
        .map((record) =>
          [this.key(record), STATES[record.state ?? -1], record.file_target, record.permissions].join(' '),
        )
        .sort(),
      root,
    };
  }

  private managedLine(record: ShareRecord): string {
    const recipient = (record.share_with ?? '').replace(this.suffix, '');
    return [
      this.key(record),
      record.share_type,
      recipient,
      record.permissions,
      record.path,
      record.name ?? '',
    ].join(' ');
  }

  private key({ id }: ShareRecord): number | undefined {
    return [...this.ids].find(([, known]) => known === id)?.[0];
  }
}

const verdict = ({ http, code }: Answer): ModelOutcome => {
  expect(http).toBeLessThan(500);
  return code === 200 ? 'done' : 'refused';
};

describe('sharing by several people over HTTP', () => {
  let people: SharingGateway;
  beforeAll(async () => {
    people = await SharingGateway.start({ compatibility: 'owncloud10' });
  });
  afterAll(() => people?.stop());

  it('shows everybody the same as the model, after any actions', async () => {
    let sequence = 0;
    await fc.assert(
      fc.asyncProperty(sharingSequences(20), async (commands) => {
        const real = await OverHttp.begin(people, ++sequence);
        await fc.asyncModelRun(() => ({ model: new SharingModel(), real }), commands);
        expect(await people.halfStates()).toEqual([]);
      }),
      // A sequence takes about a second, so a failure is not shortened. Its seed repeats it.
      { seed: modelSeed(), numRuns: modelRuns(2, 50), endOnFailure: true },
    );
  }, 600_000);
});
