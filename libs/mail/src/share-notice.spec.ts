import type { DueNotice } from '#persistence';
import type { Day } from '#sharing';
import { shareNotice } from './share-notice';

const ORIGIN = {
  publicUrl: 'https://cloud.example.org',
  from: 'sharing@example.org',
  productName: 'Drawbridge',
};
const NOTICE: DueNotice = {
  id: 7,
  attempts: 1,
  address: 'bob@example.org',
  note: null,
  shareToken: null,
  nodeName: 'plan.pdf',
  expiresOn: null,
  senderName: 'Alice Example',
  senderAddress: 'alice@example.org',
  recipientName: 'Bob',
};

describe('a notice of a share', () => {
  it('names the place of the share for a user', () => {
    expect(shareNotice(NOTICE, ORIGIN)).toEqual({
      id: '<share-notice-7@cloud.example.org>',
      from: { name: 'Alice Example via Drawbridge', address: 'sharing@example.org' },
      replyTo: { name: 'Alice Example', address: 'alice@example.org' },
      to: { name: 'Bob', address: 'bob@example.org' },
      subject: 'Alice Example shared »plan.pdf« with you',
      text:
        'Hello Bob,\n\nAlice Example shared »plan.pdf« with you.\n\n' +
        'You find it among your files: https://cloud.example.org/\n',
    });
  });

  it('has the address, the note and the end of a public link', () => {
    const link = { ...NOTICE, shareToken: 'abcDEF123', recipientName: null, senderAddress: null };
    const mail = shareNotice({ ...link, note: 'look\r\nat page 3', expiresOn: '2030-01-31' as Day }, ORIGIN);
    expect(mail.replyTo).toBeUndefined();
    expect(mail.text).toBe(
      'Hello,\n\nAlice Example shared »plan.pdf« with you.\n\n' +
        'View it: https://cloud.example.org/index.php/s/abcDEF123\n\n' +
        'Alice Example writes:\n\n> look\n> at page 3\n\nThe share ends with 2030-01-31.\n',
    );
  });

  it('keeps line ends of names out of headers and of the text', () => {
    const names = {
      senderName: 'Eve\r\nBcc: all@example.org',
      nodeName: 'a\u2028b\nc',
      recipientName: 'B\nob',
    };
    const mail = shareNotice({ ...NOTICE, ...names }, ORIGIN);
    expect(mail.subject).toBe('Eve Bcc: all@example.org shared »a b c« with you');
    expect(mail.from.name).toBe('Eve Bcc: all@example.org via Drawbridge');
    expect(mail.to.name).toBe('B ob');
    expect(mail.text.split('\n')[2]).toBe(`${mail.subject}.`);
  });
});
