import { MESSAGE_STATES, type MessageState } from '#federation/exchange';
import { DeliveryAdministrationRepository } from '#persistence';
import { countOption, textOption, type Command, type CommandInput } from '../command';
import { CommandFailed, UsageError } from '../command-failed';
import type { Instance } from '../instance';
import { listUnanswered } from './unanswered-shares';

const DEFAULT_LIMIT = 1000;

const deliveriesOf = async (instance: Instance): Promise<DeliveryAdministrationRepository> =>
  new DeliveryAdministrationRepository(await instance.open());

function stateOption(input: CommandInput): readonly MessageState[] | undefined {
  const name = textOption(input, 'state');
  if (name === undefined) return undefined;
  const state = MESSAGE_STATES.find((known) => known === name);
  if (!state) throw new UsageError(`--state is one of ${MESSAGE_STATES.join(', ')}.`);
  return [state];
}

function idOf(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new UsageError('The id of a delivery is a number.');
  return Number(text);
}

const list: Command = {
  name: 'delivery list',
  arguments: [],
  options: {
    peer: { type: 'string' },
    state: { type: 'string' },
    error: { type: 'string' },
    after: { type: 'string' },
    limit: { type: 'string' },
    unanswered: { type: 'boolean' },
  },
  optionsUsage:
    '[--peer HOST] [--state STATE] [--error CLASS] [--after ID] [--limit N] | --unanswered [--peer HOST] [--limit N]',
  summary:
    'Lists messages to partners, the oldest first, 1000 unless --limit says otherwise. --unanswered lists the shares that no partner has answered.',
  async run(input, instance) {
    if (input.options.unanswered === true) return listUnanswered(input, instance);
    const selection = {
      host: textOption(input, 'peer'),
      states: stateOption(input),
      errorClass: textOption(input, 'error'),
    };
    const after = countOption(input, 'after') ?? 0;
    const limit = countOption(input, 'limit') ?? DEFAULT_LIMIT;
    const rows = await (await deliveriesOf(instance)).list(selection, after, limit);
    return { kind: 'rows', rows: rows.map((row) => ({ ...row })) };
  },
};

const show: Command = {
  name: 'delivery show',
  arguments: ['id'],
  options: {},
  optionsUsage: '',
  summary: 'Shows one message with all attempts to deliver it.',
  async run(input, instance) {
    const id = idOf(input.arguments.id!);
    const delivery = await (await deliveriesOf(instance)).find(id);
    if (!delivery) throw new CommandFailed(`There is no delivery ${id}.`);
    return { kind: 'record', record: { ...delivery } };
  },
};

const retry: Command = {
  name: 'delivery retry',
  arguments: ['id'],
  options: {},
  optionsUsage: '',
  summary: 'Tries a message that waits for its next attempt now.',
  async run(input, instance) {
    const id = idOf(input.arguments.id!);
    if (!(await (await deliveriesOf(instance)).retry(id)))
      throw new CommandFailed(`No delivery ${id} waits.`);
    return { kind: 'done', sentence: `Delivery ${id} is due now.`, record: { id } };
  },
};

const cancel: Command = {
  name: 'delivery cancel',
  arguments: ['id'],
  options: {},
  optionsUsage: '',
  summary: 'Gives up a message that is not being sent right now.',
  async run(input, instance) {
    const id = idOf(input.arguments.id!);
    if (!(await (await deliveriesOf(instance)).cancel(id)))
      throw new CommandFailed(`Delivery ${id} cannot be cancelled: it is over, or on its way.`);
    return { kind: 'done', sentence: `Delivery ${id} is cancelled.`, record: { id } };
  },
};

const replay: Command = {
  name: 'delivery replay',
  arguments: [],
  options: {
    id: { type: 'string' },
    peer: { type: 'string' },
    error: { type: 'string' },
    all: { type: 'boolean' },
  },
  optionsUsage: '--id ID | [--peer HOST] [--error CLASS] | --all',
  summary:
    'Sends messages again that were given up: one (also a refused or cancelled one), those of a partner or of an error class, or all.',
  async run(input, instance) {
    const id = textOption(input, 'id');
    const [host, errorClass] = [textOption(input, 'peer'), textOption(input, 'error')];
    if (id !== undefined) return replayOne(await deliveriesOf(instance), idOf(id));
    if (host === undefined && errorClass === undefined && input.options.all !== true)
      throw new UsageError('Say what to send again: --id, --peer, --error or --all.');
    const count = await (await deliveriesOf(instance)).replayDead({ host, errorClass });
    return { kind: 'done', sentence: `${count} deliveries are sent again.`, record: { count } };
  },
};

async function replayOne(deliveries: DeliveryAdministrationRepository, id: number) {
  if (!(await deliveries.replay(id)))
    throw new CommandFailed(
      `Delivery ${id} cannot be sent again: it was not given up, or the partner was told something later.`,
    );
  return { kind: 'done' as const, sentence: `Delivery ${id} is sent again.`, record: { id } };
}

export const DELIVERY_COMMANDS: readonly Command[] = [list, show, retry, cancel, replay];
