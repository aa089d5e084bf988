import { accountEndsOn, type AccountEnds, type EndOfAccount } from '#identity';
import { countOption, textOption, type Command, type CommandInput, type Output } from '../command';
import { UsageError } from '../command-failed';

const MODES = ['transfer-to', 'remove', 'undo'] as const;

/** The requested mode; absent for a preview only. @throws UsageError */
function modeOf(input: CommandInput): (typeof MODES)[number] | undefined {
  const given = MODES.filter((mode) => input.options[mode] !== undefined);
  if (given.length > 1 || (given.length === 0 && !input.options.preview))
    throw new UsageError('Say one of --transfer-to, --remove and --undo, or --preview.');
  return given[0];
}

export const userEnd: Command = {
  name: 'user end',
  arguments: ['uid'],
  options: {
    'transfer-to': { type: 'string' },
    remove: { type: 'boolean' },
    grace: { type: 'string' },
    undo: { type: 'boolean' },
    preview: { type: 'boolean' },
  },
  optionsUsage: '(--transfer-to OTHER | --remove | --undo) [--grace DAYS] [--preview]',
  summary:
    'Ends an account: gives its files and shares to another one, or removes them after a grace time; --preview only counts them.',
  async run(input, instance) {
    const uid = input.arguments.uid!;
    const mode = modeOf(input);
    const graceDays = countOption(input, 'grace');
    if (mode === 'undo' && graceDays !== undefined) throw new UsageError('--undo takes no --grace.');
    const ends = accountEndsOn(await instance.open());
    const transferTo = textOption(input, 'transfer-to');
    const end = {
      ...(transferTo === undefined ? {} : { transferTo }),
      ...(graceDays === undefined ? {} : { graceDays }),
    };
    if (input.options.preview) return preview(ends, uid, end);
    if (mode === 'undo') return undo(ends, uid);
    return instance.interruptible((stopping) => request(ends, uid, end, stopping));
  },
};

async function preview(ends: AccountEnds, uid: string, end: EndOfAccount): Promise<Output> {
  const state = await ends.state(uid);
  const dueAt = state?.dueAt.toISOString() ?? null;
  return { kind: 'record', record: { uid, ...(await ends.preview(uid, end)), endsAt: dueAt } };
}

async function undo(ends: AccountEnds, uid: string): Promise<Output> {
  await ends.undo(uid);
  return { kind: 'done', sentence: `User ${uid} is as before.`, record: { uid, undone: true } };
}

/** If the end is due now, continues until it is done. A worker continues work that is interrupted here. */
async function request(
  ends: AccountEnds,
  uid: string,
  end: EndOfAccount,
  stopping: AbortSignal,
): Promise<Output> {
  const state = await ends.request(uid, end);
  const record = { uid: state.uid, transferTo: state.transferTo, dueAt: state.dueAt.toISOString() };
  const ended = await ends.finish(state.uid, stopping);
  const sentence = ended
    ? `User ${state.uid} was ended.`
    : `User ${state.uid} was disabled and ends at ${record.dueAt}.`;
  return { kind: 'done', sentence, record: { ...record, ended } };
}
