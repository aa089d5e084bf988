import { EndedShareRepository, ShareAdministrationRepository } from '#persistence';
import { SHARE_KINDS } from '#sharing';
import { countOption, textOption, type Command, type CommandInput } from '../command';
import { accountOption } from '../account-option';
import { CommandFailed, UsageError } from '../command-failed';

const DEFAULT_LIMIT = 1000;
const KINDS = [...SHARE_KINDS.values()];
const KIND_NAMES = KINDS.map(({ name }) => name);

function typeOption(input: CommandInput): number | undefined {
  const name = textOption(input, 'type');
  if (name === undefined) return undefined;
  const kind = KINDS.find((one) => one.name === name);
  if (!kind) throw new UsageError(`--type is one of ${KIND_NAMES.join(', ')}.`);
  return kind.type;
}

function idArgument(input: CommandInput): number {
  const text = input.arguments.id!;
  if (!/^\d{1,15}$/.test(text)) throw new UsageError('A share id is a number.');
  return Number(text);
}

const unknown = (id: number): CommandFailed => new CommandFailed(`There is no share ${id}.`);

const list: Command = {
  name: 'share list',
  arguments: [],
  options: {
    by: { type: 'string' },
    with: { type: 'string' },
    type: { type: 'string' },
    after: { type: 'string' },
    limit: { type: 'string' },
  },
  optionsUsage: `[--by UID] [--with UID_OR_GID] [--type ${KIND_NAMES.join('|')}] [--after ID] [--limit N]`,
  summary: 'Lists shares in the order of their ids, 1000 unless --limit says otherwise.',
  async run(input, instance) {
    const filter = {
      by: await accountOption(input, instance, 'by'),
      recipient: textOption(input, 'with'),
      type: typeOption(input),
      after: countOption(input, 'after') ?? 0,
      limit: countOption(input, 'limit') ?? DEFAULT_LIMIT,
    };
    const rows = await new ShareAdministrationRepository(await instance.open()).list(filter);
    return { kind: 'rows', rows: rows.map((row) => ({ ...row })) };
  },
};

const show: Command = {
  name: 'share show',
  arguments: ['id'],
  options: {},
  optionsUsage: '',
  summary: 'Shows one share.',
  async run(input, instance) {
    const id = idArgument(input);
    const share = await new ShareAdministrationRepository(await instance.open()).find(id);
    if (!share) throw unknown(id);
    return { kind: 'record', record: { ...share } };
  },
};

const ended: Command = {
  name: 'share ended',
  arguments: [],
  options: { by: { type: 'string' }, after: { type: 'string' }, limit: { type: 'string' } },
  optionsUsage: '[--by UID] [--after ID] [--limit N]',
  summary:
    'Lists shares that people on other instances declined or left within 30 days, in the order of their ids.',
  async run(input, instance) {
    const after = countOption(input, 'after') ?? 0;
    const limit = countOption(input, 'limit') ?? DEFAULT_LIMIT;
    const shares = new EndedShareRepository(await instance.open());
    const rows = await shares.list(await accountOption(input, instance, 'by'), after, limit);
    return { kind: 'rows', rows: rows.map((row) => ({ ...row })) };
  },
};

const expire: Command = {
  name: 'share expire',
  arguments: ['id'],
  options: {},
  optionsUsage: '',
  summary: 'Ends a share now, as its expiry would.',
  async run(input, instance) {
    const id = idArgument(input);
    if (!(await new ShareAdministrationRepository(await instance.open()).expire(id))) throw unknown(id);
    return { kind: 'done', sentence: `Share ${id} has expired.`, record: { id } };
  },
};

const remove: Command = {
  name: 'share delete',
  arguments: ['id'],
  options: {},
  optionsUsage: '',
  summary: 'Deletes a share.',
  async run(input, instance) {
    const id = idArgument(input);
    if (!(await new ShareAdministrationRepository(await instance.open()).remove(id))) throw unknown(id);
    return { kind: 'done', sentence: `Share ${id} was deleted.`, record: { id } };
  },
};

export const SHARE_COMMANDS: readonly Command[] = [list, show, ended, expire, remove];
