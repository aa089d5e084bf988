import { basicAuth } from '../basic-auth';

/** A share's provider id and its secret, as the recipient's server stores them. */
export interface KeptShare {
  readonly id: number | string;
  readonly token: string;
}

const bearer = ({ token }: KeptShare): string => `Bearer ${token}`;
const basic = ({ token }: KeptShare): string => basicAuth(token, '');
const byId = ({ id }: KeptShare): string => `/dav/ocm/${id}`;
const publicPhp = (): string => '/public.php/webdav';

/** Ways of deployed servers to read content: the base of the address, and the Authorization header. */
const WAYS = {
  'public.php with Basic': [publicPhp, basic],
  'public.php with Bearer': [publicPhp, bearer],
  'dav/ocm with Bearer': [byId, bearer],
  'dav/ocm with Basic': [byId, basic],
  'remote.php/dav/ocm with Bearer': [(share: KeptShare): string => `/remote.php${byId(share)}`, bearer],
} as const;
export type WayIn = keyof typeof WAYS;
export const WAYS_IN = Object.keys(WAYS) as WayIn[];
/** ownCloud and Nextcloud read in this way. */
export const LEGACY: WayIn = 'public.php with Basic';
/** OpenCloud reads in this way. */
export const OCM: WayIn = 'dav/ocm with Bearer';

/** Properties that ownCloud 10 requests for the root of a mount. */
export const MOUNT_PROPERTIES = `<?xml version="1.0" encoding="UTF-8"?>
<d:propfind xmlns:d="DAV:"><d:prop xmlns:x="http://owncloud.org/ns" xmlns:x1="http://open-collaboration-services.org/ns">
<d:getlastmodified/><d:getcontentlength/><d:getcontenttype/><x:permissions/><x:size/><x1:share-permissions/><d:resourcetype/><d:getetag/>
</d:prop></d:propfind>`;

/** Request of OpenCloud, with its client gowebdav: `allprop` has no namespace. */
export const GOWEBDAV_PROPERTIES = `<d:propfind xmlns:d='DAV:'><allprop/></d:propfind>`;

interface Options {
  readonly body?: string;
  /** Destination below the same root. */
  readonly to?: string;
  readonly headers?: Record<string, string>;
}

/** The server of a share's recipient, which reads the content from the server at `url`. */
export class ReadingPartner {
  constructor(private readonly url: string) {}

  /** The path of the share's root. */
  rootOf(way: WayIn, share: KeptShare): string {
    return WAYS[way][0](share);
  }

  ask(way: WayIn, share: KeptShare, method: string, path = '', options: Options = {}): Promise<Response> {
    const base = this.url + this.rootOf(way, share);
    const destination: Record<string, string> =
      options.to === undefined ? {} : { destination: base + encodeURI(options.to) };
    const headers = { authorization: WAYS[way][1](share), ...destination, ...options.headers };
    return fetch(base + encodeURI(path), { method, headers, body: options.body });
  }

  async statusOf(...call: Parameters<ReadingPartner['ask']>): Promise<number> {
    return (await this.ask(...call)).status;
  }

  propfind(way: WayIn, share: KeptShare, path = '', body = MOUNT_PROPERTIES): Promise<Response> {
    return this.ask(way, share, 'PROPFIND', path, { body, headers: { depth: '0' } });
  }

  /** HTTP status of a PROPFIND of the root. */
  async rootStatus(way: WayIn, share: KeptShare): Promise<number> {
    return (await this.propfind(way, share)).status;
  }

  /** Value of one of MOUNT_PROPERTIES at the root. */
  async valueOf(way: WayIn, share: KeptShare, property: string): Promise<string | undefined> {
    const xml = await (await this.propfind(way, share)).text();
    return new RegExp(`<[^>]*${property}[^>]*>(.*?)</[^>]*${property}>`).exec(xml)?.[1];
  }

  /** The root and its entries, without the root's path. */
  async listed(way: WayIn, share: KeptShare): Promise<string[]> {
    const xml = await (await this.ask(way, share, 'PROPFIND', '/', { headers: { depth: '1' } })).text();
    const { length } = this.rootOf(way, share);
    return [...xml.matchAll(/<d:href>(.*?)<\/d:href>/g)].map((match) =>
      decodeURIComponent(match[1]!).slice(length),
    );
  }
}
