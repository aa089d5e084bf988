import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { PRODUCT_VERSION, PROTOCOL_VERSION } from './version';

describe('the version', () => {
  it('is the one of package.json', () => {
    const text = readFileSync(resolve(__dirname, '../../../package.json'), 'utf8');
    expect(PRODUCT_VERSION).toBe((JSON.parse(text) as { version: string }).version);
  });

  it('of the protocol is one that clients of this family accept', () => {
    expect(PROTOCOL_VERSION).toMatch(/^1\d\.\d+\.\d+$/);
  });
});
