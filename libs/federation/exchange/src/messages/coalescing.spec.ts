import * as fc from 'fast-check';
import { coalesce, type OpenMessage } from './coalescing';
import type { MessageState } from './message';
import { MESSAGE_KINDS, type MessageKind } from './message-catalogue';

const open = (
  messageId: number,
  kind: MessageKind,
  attempts = 0,
  state: MessageState = 'pending',
  maybeDelivered = false,
): OpenMessage => ({
  messageId,
  kind,
  state,
  attempts,
  maybeDelivered,
});

describe('coalescing', () => {
  it.each<[string, OpenMessage[], MessageKind, number[], boolean]>([
    [
      'a second change of permissions replaces the first',
      [open(1, 'share-permissions')],
      'share-permissions',
      [1],
      true,
    ],
    ['an end replaces unsent changes', [open(1, 'share-permissions')], 'share-unshare', [1], true],
    ['an end of a share nobody heard of is not sent', [open(1, 'share-create')], 'share-unshare', [1], false],
    [
      'nor is anything in between',
      [open(1, 'share-create', 0, 'queued'), open(2, 'share-permissions')],
      'share-unshare',
      [1, 2],
      false,
    ],
    ['a share that may have arrived is ended', [open(1, 'share-create', 3)], 'share-unshare', [1], true],
    [
      'so is one that a lost worker may have sent',
      [open(1, 'share-create', 0, 'pending', true)],
      'share-unshare',
      [1],
      true,
    ],
    [
      'messages that are being sent are left alone',
      [open(1, 'share-create', 0, 'inflight')],
      'share-unshare',
      [],
      true,
    ],
    [
      'but what waits behind it goes',
      [open(1, 'share-create', 0, 'inflight'), open(2, 'share-permissions')],
      'share-unshare',
      [2],
      true,
    ],
    [
      'a change does not touch the creation before it',
      [open(1, 'share-create')],
      'share-permissions',
      [],
      true,
    ],
    ['leaving replaces an unsent acceptance', [open(1, 'received-accept')], 'received-decline', [1], true],
    [
      'accepting again replaces an unsent decline',
      [open(1, 'received-decline')],
      'received-accept',
      [1],
      true,
    ],
    [
      'messages about acts of a recipient are outdated when the share ends',
      [open(1, 'reshare-accepted'), open(2, 'reshare-permissions')],
      'reshare-undo',
      [1, 2],
      true,
    ],
    [
      'a decline replaces what went before it',
      [open(1, 'reshare-accepted'), open(2, 'reshare-permissions')],
      'reshare-declined',
      [1, 2],
      true,
    ],
    [
      'of several changes the last one is sent',
      [open(1, 'reshare-permissions')],
      'reshare-permissions',
      [1],
      true,
    ],
    [
      'a request whose answer says what to end is not dropped',
      [open(1, 'reshare-request', 1)],
      'reshare-undo',
      [],
      true,
    ],
    ['nothing open, nothing to do', [], 'share-unshare', [], true],
  ])('%s', (_name, messages, kind, superseded, needed) => {
    expect(coalesce(messages, kind)).toEqual({ superseded, needed });
  });

  it('never drops a message that is being sent, and drops a new message only together with the first one', () => {
    const message = fc.record({
      messageId: fc.nat(),
      kind: fc.constantFrom(...MESSAGE_KINDS),
      state: fc.constantFrom<MessageState>('pending', 'queued', 'inflight'),
      attempts: fc.nat(3),
      maybeDelivered: fc.boolean(),
    });
    const distinct = fc.uniqueArray(message, { selector: (one) => one.messageId });
    fc.assert(
      fc.property(distinct, fc.constantFrom(...MESSAGE_KINDS), (messages, kind) => {
        const { superseded, needed } = coalesce(messages, kind);
        const dropped = messages.filter((one) => superseded.includes(one.messageId));
        expect(dropped.every((one) => one.state !== 'inflight')).toBe(true);
        if (!needed) expect(dropped.some((one) => one.attempts === 0 && !one.maybeDelivered)).toBe(true);
      }),
    );
  });
});
