import type { DavTree } from './dav-tree';

/** `owncloud`: Basic at `/public.php/webdav`; `opencloud`: Bearer at `/dav/ocm/{id}`; `reva`: the same, or as in `takes`. */
export type DavFlavour = 'owncloud' | 'opencloud' | 'reva';

export interface DavPartnerOptions {
  readonly flavour?: DavFlavour;
  /** Port of an earlier partner, which starts again there. */
  readonly port?: number;
  /** The path of the installation, such as `/owncloud`. */
  readonly folder?: string;
  /** `offered`: a secret can be exchanged for an access token; `required`: the secret itself opens nothing. */
  readonly exchange?: 'offered' | 'required';
  /** For reva servers that support only one of the two. */
  readonly takes?: readonly ('Basic' | 'Bearer')[];
}

/** A share of a partner with one of our users. */
export interface DavShare {
  readonly providerId: string;
  readonly secret: string;
  readonly tree: DavTree;
  /** Address of the root, without a trailing slash. */
  readonly root: string;
  /** Share permissions in its answers; initially 31. */
  permissions: number;
}
