/** Value of an Authorization header. */
export function basicAuth(uid: string, password: string): string {
  return `Basic ${Buffer.from(`${uid}:${password}`).toString('base64')}`;
}
