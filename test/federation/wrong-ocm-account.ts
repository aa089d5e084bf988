import type { RecordedRequest } from '../../libs/testing/src';

/** Messages of a server with users who share: `all wrong`, or right except that its secrets stay valid. */
export type Sending = 'all wrong' | 'secrets stay good';

const SECRET = 's3cret';
const SIGNATURES = 'a=("@method");keyid="x";alg="hmac-sha256";tag="ocm", b=("@method");keyid="x";tag="ocm"';

type Answer = readonly [number, string];
const envelope = (data: unknown): Answer => [
  200,
  JSON.stringify({ ocs: { meta: { statuscode: 200, message: 'OK' }, data } }),
];

/** The calls of users of a non-conforming server, and the messages that it sends for them. */
export class WrongAccount {
  /** Names and senders of the offers, in order. */
  private readonly offers: { name: string; providerId: string; sender: string }[] = [];
  /** Hosts that it shared with, in order. */
  private readonly sharedWith: string[] = [];

  constructor(private readonly sends: Sending) {}

  note(offer: string): void {
    this.offers.push(JSON.parse(offer));
  }

  /** @returns undefined for a request that is no call of a user */
  async answer({ method, path, headers, body }: RecordedRequest): Promise<Answer | undefined> {
    const [target] = path.split('?') as [string];
    if (target.startsWith('/dav/')) return this.file(method, headers.authorization);
    if (target.startsWith('/remote.php/webdav')) return this.own(method);
    if (target.endsWith('/v1/shares') && method === 'POST') return this.share(new URLSearchParams(body));
    if (/\/v1\/shares\/\d+$/.test(target) && method === 'DELETE')
      return this.tell(this.sharedWith[0]!, 'SHARE_ENDED', '1');
    if (target.includes('/remote_shares')) return this.decide(method, target);
    if (target.endsWith('/contacts')) return envelope([{ id: 1, idp: this.sharedWith[0] }]);
    if (target.endsWith('/share-requests')) return this.ask();
    if (target.endsWith('/invitations')) return envelope({ link: '/no-such-page' });
    if (target.endsWith('/invitations/accept')) return this.accept(new URLSearchParams(body));
    return undefined;
  }

  private file(method: string, authorization = ''): Answer {
    const opens = this.sends === 'secrets stay good' && authorization === `Bearer ${SECRET}`;
    return opens && method === 'PROPFIND' ? [207, ''] : [404, ''];
  }

  /** A file of its own, or a partner's file that it requests with the secret and without a listing. */
  private async own(method: string): Promise<Answer> {
    if (method !== 'GET') return [201, ''];
    const { sender, providerId } = this.offers.at(-1)!;
    const authorization = `Basic ${Buffer.from('the-secret:').toString('base64')}`;
    await fetch(`http://${hostOf(sender)}/webdav/${providerId}`, { headers: { authorization } });
    return [200, 'something else'];
  }

  private async share(form: URLSearchParams): Promise<Answer> {
    const host = hostOf(form.get('shareWith')!);
    this.sharedWith.push(host);
    const isWrong = this.sends === 'all wrong';
    const requirements = isWrong ? [] : ['must-exchange-token'];
    const others = isWrong ? ['must-use-mfa'] : requirements;
    await this.send(host, '/ocm/shares', {
      shareWith: 'somebody@http://elsewhere.example/path',
      providerId: '1',
      owner: 'http://wrong',
      shareType: 'device',
      resourceType: 'file',
      expiration: '2030-01-31',
      description: 5,
      protocol: {
        name: 'multi',
        webdav: { uri: `/${SECRET}`, sharedSecret: SECRET, requirements },
        webapp: { uri: `/${SECRET}`, sharedSecret: SECRET, requirements: others },
      },
    });
    return envelope({ id: 1 });
  }

  private async ask(): Promise<Answer> {
    await this.send(this.sharedWith[0]!, '/ocm/request-share', { owner: 'nobody' });
    return envelope({ id: 1 });
  }

  private async decide(method: string, target: string): Promise<Answer> {
    const last = this.offers.length;
    if (method === 'GET')
      return envelope(this.offers.map(({ name }, id) => ({ id, name, mountpoint: '/x' })));
    const offer = this.offers[Number(target.split('/').at(-1))] ?? this.offers[last - 1]!;
    return this.tell(hostOf(offer.sender), 'SHARE_CONSIDERED', offer.providerId);
  }

  private async accept(form: URLSearchParams): Promise<Answer> {
    const text = Buffer.from(form.get('invitation')!, 'base64url').toString('utf8');
    await this.send(hostOf(text), '/ocm/invite-accepted', { token: text.split('@')[0] });
    return envelope({});
  }

  private async tell(host: string, notificationType: string, providerId: string): Promise<Answer> {
    await this.send(host, '/ocm/notifications', { notificationType, providerId });
    return envelope({});
  }

  private async send(host: string, path: string, message: object): Promise<void> {
    const headers = { 'content-type': 'text/plain', 'signature-input': SIGNATURES, date: 'now' };
    await fetch(`http://${host}${path}`, { method: 'POST', headers, body: JSON.stringify(message) });
  }
}

const hostOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1);
