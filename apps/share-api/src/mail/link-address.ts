const LINK_PATH = /^(?:\/index\.php)?\/s\/([A-Za-z0-9]{1,64})\/?$/;

/**
 * The token in the address of a public link of this instance: `{PUBLIC_URL}/s/{token}` or
 * `{PUBLIC_URL}/index.php/s/{token}`.
 * @returns undefined for every other address: mails in our name must not contain links of other servers
 */
export function tokenOfLink(link: string, publicUrl: string): string | undefined {
  if (!URL.canParse(link)) return undefined;
  const [given, own] = [new URL(link), new URL(publicUrl)];
  const root = own.pathname.replace(/\/$/, '');
  if (given.host !== own.host || !/^https?:$/.test(given.protocol) || !given.pathname.startsWith(root))
    return undefined;
  return LINK_PATH.exec(given.pathname.slice(root.length))?.[1];
}
