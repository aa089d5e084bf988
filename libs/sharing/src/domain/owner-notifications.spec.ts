import {
  afterUndelivered,
  endedByRecipientText,
  expiringForRecipientText,
  expiringText,
  lostAccessText,
} from './owner-notifications';

const share = {
  ...{ name: 'a.txt', recipient: 'bea@there.example', error: 'No such user' },
  ...{ isRequested: false, wasDelivered: false },
};

describe('a federated share that reached no recipient', () => {
  it.each([
    ['refused', 'Your share "a.txt" was refused for bea@there.example'],
    ['dead', 'Your share "a.txt" could not be delivered to bea@there.example'],
  ] as const)('and is %s notifies its initiator with the error', (state, subject) => {
    expect(afterUndelivered({ ...share, state })).toEqual({
      kind: 'notify',
      text: { subject, message: 'No such user' },
    });
  });

  it('notifies without a further text if no error is known', () => {
    expect(afterUndelivered({ ...share, state: 'dead', error: null })).toMatchObject({
      text: { message: '' },
    });
  });

  it('ends if a partner requested it; a refusal counts as declined', () => {
    const requested = { ...share, isRequested: true };
    expect(afterUndelivered({ ...requested, state: 'refused' })).toEqual({ kind: 'end', isDeclined: true });
    expect(afterUndelivered({ ...requested, state: 'dead' })).toEqual({ kind: 'end', isDeclined: false });
  });
});

it.each([false, true])(
  'a share that its recipient has stays if a change of it is not delivered (requested by a partner: %s)',
  (isRequested) => {
    expect(afterUndelivered({ ...share, state: 'dead', isRequested, wasDelivered: true })).toEqual({
      kind: 'notify',
      text: {
        subject: 'A change of your share "a.txt" could not be delivered to bea@there.example',
        message: 'No such user',
      },
    });
  },
);

it('of a share that its recipient left names them', () => {
  expect(endedByRecipientText('bea@there.example', 'left', 'a.txt', 'done with it')).toEqual({
    subject: 'bea@there.example left your share "a.txt"',
    message: 'done with it',
  });
});

it.each([
  ['Carol', 'Bob lost access to "plans", but still shares it with Carol'],
  [null, 'Bob lost access to "plans", but still shares it by a public link'],
])('a reshare without its initiator names the recipient %s', (recipient, subject) => {
  expect(lostAccessText('Bob', 'plans', recipient).subject).toBe(subject);
});

it.each([
  [null, 'Your public link to "a.txt" ends with 2030-05-01'],
  ['Bea', 'Your share "a.txt" with Bea ends with 2030-05-01'],
])('a share with %s that ends soon is named with its last day', (recipient, subject) => {
  const share = { name: 'a.txt', expiresOn: '2030-05-01' };
  expect(expiringText(share, recipient)).toEqual({ subject, message: '' });
  expect(expiringForRecipientText(share, 'Alice').subject).toBe(
    '"a.txt", which Alice shared with you, ends with 2030-05-01',
  );
});
