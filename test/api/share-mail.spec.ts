import { eventually, MailServer, type ReceivedMail } from '../../libs/testing/src';
import { SharingWorld } from './sharing-world';

const SIDE = '/apps/files_sharing/api/v1/notification';

/** Decodes quoted-printable text and base64 words, as a mail program does. */
function readable(mail: ReceivedMail): string {
  const bytes = (hex: string): string => Buffer.from(hex.replace(/=/g, ''), 'hex').toString('utf8');
  return mail.content.replace(/=\r\n/g, '').replace(/(?:=[0-9A-F]{2})+/g, bytes);
}

describe('mail about shares', () => {
  let world: SharingWorld;
  let server: MailServer;
  beforeAll(async () => {
    server = await MailServer.start();
    world = await SharingWorld.start({ env: { SMTP_URL: server.url, MAIL_FROM: 'sharing@example.org' } });
    await world.addUser('alice', { display: 'Alice Example', email: 'alice@example.org' });
    await world.addUser('bobby', { display: 'Bob', email: 'bob@example.org' });
    await world.addUser('carol', { email: 'carol@example.org' });
    await world.addUser('david', { display: 'Dave Example' });
    await world.addGroup('staff', 'alice', 'bobby', 'carol', 'david');
  });
  afterAll(async () => {
    await world.stop();
    await server.stop();
  });
  beforeEach(async () => {
    server.mails.length = 0;
    server.verdict = () => '250 ok';
    await world.set('core', 'shareapi_allow_mail_notification', 'yes');
    await world.set('core', 'shareapi_allow_public_notification', 'yes');
  });

  let files = 0;
  const share = async (form: Record<string, string>) => {
    const path = `/plan ${++files}.txt`;
    await world.put('alice', path);
    return world.share('alice', { path, ...form });
  };
  const wishFor = (record: Record<string, unknown>): Record<string, string> => ({
    itemSource: String(record.item_source),
    itemType: 'file',
    shareType: String(record.share_type),
    recipient: String(record.share_with),
  });
  const call = (name: string, form: Record<string, string | string[]>, as = 'alice') =>
    world.ocs('POST', `${SIDE}/${name}`, { as, form });
  const mailsTo = (...addresses: string[]) =>
    eventually(`mail to ${addresses.join()}`, () =>
      addresses.every((address) => server.mails.some(({ to }) => to === address)),
    );
  const mailSendOf = async (id: unknown) => (await world.readShare('alice', id)).mail_send;

  it('is refused while it is switched off', async () => {
    await world.unset('core', 'shareapi_allow_mail_notification');
    await world.unset('core', 'shareapi_allow_public_notification');
    const record = await share({ shareType: '0', shareWith: 'bobby' });
    expect(await call('send', wishFor(record))).toMatchObject({
      code: 403,
      message: 'Internal mail notification for shared files is not allowed',
    });
    expect(
      await call('notify-public-link-by-email', { link: '', recipients: ['x@example.org'] }),
    ).toMatchObject({
      code: 403,
      message: 'Public link mail notification is not allowed',
    });
  });

  it('informs a user of a share once, and the share shows it after the server accepted the mail', async () => {
    const record = await share({ shareType: '0', shareWith: 'bobby' });
    expect(record.mail_send).toBe(0);
    const reply = await call('send', { ...wishFor(record), recipient: 'BOBBY' });
    expect(reply).toMatchObject({ status: 'failure', code: 200, message: null, data: { status: 'success' } });
    await mailsTo('bob@example.org');
    await eventually('mail_send', async () => (await mailSendOf(record.id)) === 1);
    await call('send', wishFor(record));
    await call('marksent', wishFor(record));
    expect(server.mails).toHaveLength(1);
    const text = readable(server.mails[0]!);
    expect(server.mails[0]!.from).toBe('sharing@example.org');
    expect(text).toContain('Reply-To: Alice Example <alice@example.org>');
    expect(text).toContain(`Alice Example shared »plan ${files}.txt« with you.`);
  });

  it('informs the members of a group, and names those without an address', async () => {
    const record = await share({ shareType: '1', shareWith: 'staff' });
    expect(await call('send', wishFor(record))).toMatchObject({
      code: 200,
      message: "Couldn't send mail to following recipient(s): Dave Example ",
      data: { status: 'error' },
    });
    await mailsTo('bob@example.org', 'carol@example.org');
    expect(server.mails).toHaveLength(2);
  });

  it('sends no mail about a share that the caller did not create', async () => {
    const record = await share({ shareType: '0', shareWith: 'bobby' });
    const asked = [
      call('send', wishFor(record), 'carol'),
      call('send', { ...wishFor(record), recipient: 'carol' }),
      call('send', { ...wishFor(record), shareType: '1' }),
      call('send', {}),
    ];
    for (const reply of await Promise.all(asked))
      expect(reply).toMatchObject({ code: 200, data: { status: 'error' } });
    expect(await call('marksent', wishFor(record), 'carol')).toMatchObject({ code: 100 });
    expect(await mailSendOf(record.id)).toBe(0);
  });

  it('may be marked as sent without being sent', async () => {
    const record = await share({ shareType: '0', shareWith: 'bobby' });
    expect(await call('marksent', wishFor(record))).toMatchObject({ code: 100, data: { status: 'success' } });
    expect(await mailSendOf(record.id)).toBe(1);
  });

  it('sends a public link with a note to any address', async () => {
    const record = await share({ shareType: '3' });
    const wish = { link: String(record.url), recipients: ['zoe@other.example', 'ZOE@other.example'] };
    const sent = await call('notify-public-link-by-email', { ...wish, personalNote: 'page 3' });
    expect(sent).toMatchObject({ code: 100, data: [] });
    await mailsTo('zoe@other.example');
    await eventually('mail_send', async () => (await mailSendOf(record.id)) === 1);
    expect(server.mails).toHaveLength(1);
    const text = readable(server.mails[0]!);
    expect(text).toContain(`View it: ${String(record.url)}`);
    expect(text).toContain('> page 3');
  });

  it('names invalid addresses, and mails the others', async () => {
    const { url } = await share({ shareType: '3' });
    const recipients = ['no address', 'yves@other.example', 'a@b,c@d'];
    expect(await call('notify-public-link-by-email', { link: String(url), recipients })).toMatchObject({
      code: 400,
      message: "Couldn't send mail to following recipient(s): no address, a@b,c@d ",
    });
    await mailsTo('yves@other.example');
  });

  it('is refused for links of others and for wrong requests', async () => {
    const { url } = await share({ shareType: '3' });
    const link = String(url);
    const recipients = ['x@example.org'];
    const name = 'notify-public-link-by-email';
    expect(await call(name, { link, recipients }, 'bobby')).toMatchObject({ code: 400 });
    expect(await call(name, { link: `${link}x`, recipients })).toMatchObject({ code: 400 });
    expect(await call(name, { link: 'https://elsewhere.example/s/abc', recipients })).toMatchObject({
      code: 400,
      message: 'Invalid shared link',
    });
    expect(await call(name, { link })).toMatchObject({ code: 400 });
    expect(await call(name, { link, recipients: Array<string>(101).fill('x@example.org') })).toMatchObject({
      code: 400,
    });
    expect(await call(name, { link, recipients, personalNote: 'x'.repeat(4001) })).toMatchObject({
      code: 400,
    });
    expect(server.mails).toEqual([]);
  });

  it('a mail for an unknown recipient is given up, and the sender is notified', async () => {
    server.verdict = () => '550 5.1.1 no such mailbox';
    const record = await share({ shareType: '0', shareWith: 'carol' });
    await call('send', wishFor(record));
    const told = await eventually('the notification', async () => {
      const { data } = await world.must('GET', '/apps/notifications/api/v1/notifications', { as: 'alice' });
      return (data as Record<string, unknown>[])[0];
    });
    expect(told).toMatchObject({
      object_type: 'mail',
      subject: `The mail to carol@example.org about "plan ${files}.txt" could not be delivered`,
      message: '550 5.1.1 no such mailbox',
      actions: [],
    });
    expect(await mailSendOf(record.id)).toBe(0);
    const one = `/apps/notifications/api/v1/notifications/${String(told.notification_id)}`;
    expect((await world.must('GET', one, { as: 'alice' })).data).toEqual(told);
    await world.must('DELETE', one, { as: 'alice' });
    expect(await world.ocs('GET', one, { as: 'alice' })).toMatchObject({ code: 404 });
  });
});

describe('a gateway without a mail server', () => {
  let world: SharingWorld;
  beforeAll(async () => {
    world = await SharingWorld.start();
    await world.addUser('alice');
    await world.set('core', 'shareapi_allow_mail_notification', 'yes');
  });
  afterAll(() => world.stop());

  it('the answer names the recipients who get no mail', async () => {
    const form = { itemSource: '1', shareType: '0', recipient: 'admin' };
    expect(await world.ocs('POST', `${SIDE}/send`, { as: 'alice', form })).toMatchObject({
      code: 200,
      message: "Couldn't send mail to following recipient(s): admin ",
      data: { status: 'error' },
    });
  });
});
