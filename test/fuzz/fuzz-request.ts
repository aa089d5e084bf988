/** A request as it goes over the wire. */
export interface FuzzRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const FORM = 'application/x-www-form-urlencoded';

export const isForm = ({ headers }: FuzzRequest): boolean => headers['content-type'] === FORM;
export const isOffer = ({ method, target }: FuzzRequest): boolean =>
  method === 'POST' && /^\/(?:ocm\/shares|ocs\/v[12]\.php\/cloud\/shares)(?:[/?]|$)/.test(target);
