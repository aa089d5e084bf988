import fc from 'fast-check';
import { SharingModel } from './sharing-model';
import {
  GROUPS,
  PEOPLE,
  SWITCHES,
  type ModelOutcome,
  type ShareWish,
  type VisibleShares,
  type Switch,
} from './sharing-model-cast';

/** The system under test. Shares are named by the model's keys. */
export interface ModelledSystem {
  /** @param key name of the new share in later commands */
  create(uid: string, wish: ShareWish, key: number): Promise<ModelOutcome>;
  updatePermissions(uid: string, key: number, permissions: number): Promise<ModelOutcome>;
  rename(uid: string, key: number, name: string): Promise<ModelOutcome>;
  decide(uid: string, key: number, state: 'accepted' | 'declined'): Promise<ModelOutcome>;
  remove(uid: string, key: number): Promise<ModelOutcome>;
  addFile(uid: string, path: string): Promise<void>;
  move(uid: string, from: string, to: string): Promise<void>;
  removeEntry(uid: string, path: string): Promise<void>;
  join(gid: string, uid: string): Promise<void>;
  leave(gid: string, uid: string): Promise<void>;
  set(name: Switch, on: boolean): Promise<void>;
  visibleTo(uid: string): Promise<VisibleShares>;
}

type Step = (model: SharingModel, system: ModelledSystem) => Promise<void>;

/** One step of a sequence; after it, the views of all users must match the model. */
class Command implements fc.AsyncCommand<SharingModel, ModelledSystem> {
  constructor(
    private readonly label: string,
    private readonly step: Step,
  ) {}

  check(): boolean {
    return true;
  }

  async run(model: SharingModel, system: ModelledSystem): Promise<void> {
    await this.step(model, system);
    for (const uid of PEOPLE)
      assertSame(`what ${uid} sees after ${this.label}`, await system.visibleTo(uid), model.visibleTo(uid));
  }

  toString(): string {
    return this.label;
  }
}

function assertSame(what: string, actual: unknown, expected: unknown): void {
  const [seen, wanted] = [JSON.stringify(actual, null, 1), JSON.stringify(expected, null, 1)];
  if (seen !== wanted) throw new Error(`${what} is\n${seen}\nand should be\n${wanted}`);
}

const command = (label: string, step: Step): Command => new Command(label, step);

/** Picks an item of a list whose length is not known yet. */
const pick = <T>(items: readonly T[], number: number): T | undefined =>
  items[number % Math.max(1, items.length)];

const person = fc.constantFrom(...PEOPLE);
const number = fc.nat({ max: 999 });
const permissions = fc.constantFrom(1, 3, 15, 17, 19, 31, 0, 32, 4, 7, 5);
const gid = fc.constantFrom(...Object.keys(GROUPS));

const creating = (type: 0 | 1 | 3, recipients: fc.Arbitrary<string>) =>
  fc.tuple(person, number, recipients, permissions).map(([uid, path, recipient, asked]) =>
    command(`create(${uid}, path ${path}, type ${type}, ${recipient}, ${asked})`, async (model, system) => {
      const wish = {
        path:
          pick(path % 3 === 0 ? model.pathsOf(uid) : model.receivedPathsOf(uid), path) ??
          pick(model.pathsOf(uid), path) ??
          '/nothing',
        type,
        recipient,
        permissions: asked,
      };
      const key = model.nextKey;
      const expected = model.create(uid, wish);
      assertSame(`creating ${JSON.stringify(wish)} as ${uid}`, await system.create(uid, wish, key), expected);
    }),
  );

type ShareStep = (model: SharingModel, key: number) => ModelOutcome;
type ShareCall = (system: ModelledSystem, key: number) => Promise<ModelOutcome>;

/** A call on any existing or ended share. */
function onShare(
  uid: string,
  label: string,
  shareNumber: number,
  expected: ShareStep,
  call: ShareCall,
): Command {
  return command(`${label} of share ${shareNumber} by ${uid}`, async (model, system) => {
    if (model.nextKey === 1) return;
    // Mostly a share of the user, sometimes any share that was ever made.
    const own = shareNumber % 5 === 0 ? undefined : pick(model.keysOf(uid), shareNumber);
    const key = own ?? 1 + (shareNumber % (model.nextKey - 1));
    assertSame(`${label} of ${key}`, await call(system, key), expected(model, key));
  });
}

const updating = fc.tuple(person, number, permissions).map(([uid, share, asked]) =>
  onShare(
    uid,
    `update to ${asked}`,
    share,
    (model, key) => model.updatePermissions(uid, key, asked),
    (system, key) => system.updatePermissions(uid, key, asked),
  ),
);
const naming = fc.tuple(person, number).map(([uid, share]) =>
  onShare(
    uid,
    `naming`,
    share,
    (model, key) => model.rename(uid, key, `name-${share}`),
    (system, key) => system.rename(uid, key, `name-${share}`),
  ),
);
const deciding = fc
  .tuple(person, number, fc.constantFrom('accepted' as const, 'declined' as const))
  .map(([uid, share, state]) =>
    onShare(
      uid,
      `${state}`,
      share,
      (model, key) => model.decide(uid, key, state),
      (system, key) => system.decide(uid, key, state),
    ),
  );
const removing = fc.tuple(person, number).map(([uid, share]) =>
  onShare(
    uid,
    `removal`,
    share,
    (model, key) => model.remove(uid, key),
    (system, key) => system.remove(uid, key),
  ),
);

/** Changes of an entry at the root of a user's tree. */
const onEntry = (
  verb: string,
  act: (uid: string, path: string, actor: SharingModel | ModelledSystem, name: string) => unknown,
) =>
  fc.tuple(person, number, number).map(([uid, entry, name]) =>
    command(`${verb}(${uid}, entry ${entry}, ${name})`, async (model, system) => {
      const path = pick(model.visibleTo(uid).root, entry);
      if (path === undefined || model.pathsOf(uid).includes(`/moved-${name}`)) return;
      await act(uid, path, system, `/moved-${name}`);
      await act(uid, path, model, `/moved-${name}`);
    }),
  );
const moving = onEntry('move', (uid, path, actor, name) => actor.move(uid, path, name));
const removingEntries = onEntry('removeEntry', (uid, path, actor) => actor.removeEntry(uid, path));
const adding = onEntry('addFile', (uid, _, actor, name) => actor.addFile(uid, name));

const membership = fc.tuple(gid, person).map(([group, uid]) =>
  command(`membership(${group}, ${uid})`, async (model, system) => {
    const change = model.isMember(group, uid) ? 'leave' : 'join';
    await system[change](group, uid);
    model[change](group, uid);
  }),
);

const switching = fc
  .tuple(fc.constantFrom(...(Object.keys(SWITCHES) as Switch[])), fc.boolean())
  .map(([name, on]) =>
    command(`set(${name}, ${on})`, async (model, system) => {
      await system.set(name, on);
      model.switches[name] = on;
    }),
  );

/** Sequences of calls by several people. */
export function sharingSequences(
  maxCommands: number,
): fc.Arbitrary<Iterable<fc.AsyncCommand<SharingModel, ModelledSystem>>> {
  const usual = [
    creating(0, person),
    creating(1, gid),
    creating(3, fc.constant('')),
    updating,
    deciding,
    removing,
    moving,
  ];
  const rarer = [naming, removingEntries, adding, membership, switching];
  // Commands that create something are listed twice, because an empty world finds few errors.
  return fc.commands([...usual, creating(0, person), creating(1, gid), deciding, ...rarer], {
    maxCommands,
    size: 'max',
  });
}
