import { readCapture, type WireReply } from './capture';
import { goldenOf } from './golden';
import { MANIFEST } from './manifest';
import { ShapeWorld } from './shape-world';

/** A point where our reply differs from the recorded one on purpose. */
export interface Difference {
  /** The reason, for readers. */
  readonly because: string;
  /** The expected reply, derived from the recorded one. */
  readonly expected: (recorded: WireReply) => WireReply;
}

export interface ShapePlan {
  /** State before the first recording. */
  readonly given?: (world: ShapeWorld) => Promise<void>;
  /** Unrecorded steps before a recording. */
  readonly before?: Readonly<Record<string, (world: ShapeWorld) => Promise<unknown>>>;
  /** Passwords other than the account's own, by recording. */
  readonly passwords?: Readonly<Record<string, string>>;
  /** The differences that apply to a recording. */
  readonly differences?: (name: string) => readonly Difference[];
}

/** Replays the compared recordings of a group in their order, and expects the same bytes except for variable values. */
export function describeShapes(group: string, plan: ShapePlan): void {
  describe(`recordings of ${group}`, () => {
    let world: ShapeWorld | undefined;
    beforeAll(async () => {
      world = await ShapeWorld.start();
      await plan.given?.(world);
    });
    afterAll(() => world?.stop());

    it.each(MANIFEST[group]?.compared ?? [])('%s', async (name) => {
      if (world === undefined) throw new Error('the gateway did not start');
      const capture = readCapture(group, name);
      await plan.before?.[name]?.(world);
      const reply = await world.replay(capture, plan.passwords?.[name]);
      const differences = plan.differences?.(name) ?? [];
      const expected = differences.reduce((recorded, { expected }) => expected(recorded), capture.reply);
      expect(goldenOf(reply)).toEqual(goldenOf(expected));
    });
  });
}
