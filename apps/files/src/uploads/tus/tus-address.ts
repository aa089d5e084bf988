const START = '/remote.php/dav/tus/';

/**
 * Address of an upload, below the percent-encoded start of its tree: `/remote.php/dav/tus/files/alice/{name}`. The tree
 * decides who may use it, and with which credentials.
 * @param base such as `/remote.php/dav/files/alice`
 */
export function addressOfUpload(base: string, name: string): string {
  return `${START}${base.replace(/^\/remote\.php\/(?:dav\/)?/, '')}/${name}`;
}

/** The address in the tree that belongs to an upload's address; undefined for other addresses. */
export function treeAddressOf(path: string): string | undefined {
  if (!path.startsWith(START)) return undefined;
  const below = path.slice(START.length);
  return `/remote.php/${below.startsWith('webdav/') ? '' : 'dav/'}${below}`;
}
