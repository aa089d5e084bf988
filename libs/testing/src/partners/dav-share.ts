import type { DavTree } from './dav-tree';

/** `owncloud`: Basic at `/public.php/webdav`; `opencloud`: Bearer at `/dav/ocm/{id}`; `reva`: the same, or as `takes` says. */
export type DavFlavour = 'owncloud' | 'opencloud' | 'reva';

export interface DavPartnerOptions {
  readonly flavour?: DavFlavour;
  /** Address of an earlier partner, which starts again there. */
  readonly port?: number;
  /** The folder of the installation, such as `/owncloud`. */
  readonly folder?: string;
  /** `offered`: a secret can be exchanged for an access token; `required`: it opens nothing by itself. */
  readonly exchange?: 'offered' | 'required';
  /** Reva servers that know one of the two only. */
  readonly takes?: readonly ('Basic' | 'Bearer')[];
}

/** A share of a partner with one of our users. */
export interface DavShare {
  readonly providerId: string;
  readonly secret: string;
  readonly tree: DavTree;
  /** Address of the root, without a trailing slash. */
  readonly root: string;
  /** Share permissions that it tells; 31 to begin with. */
  permissions: number;
}
