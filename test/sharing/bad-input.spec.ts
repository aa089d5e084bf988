import fc from 'fast-check';
import { SharingGateway, type Answer, type Form, type ShareRecord } from './sharing-gateway';
import { modelRuns } from '../../libs/testing/src/full-form';

const WRONG_ID = "Wrong share ID, share doesn't exist";
const INVALID_DATE = 'Invalid date, date format must be YYYY-MM-DD';

describe('wrong requests about shares', () => {
  let people: SharingGateway;
  let mine: string;
  let link: string;
  beforeAll(async () => {
    people = await SharingGateway.start({ compatibility: 'owncloud10' });
    await people.addUsers('alice', 'bob', 'eve');
    await people.store('alice', '/docs/', '/a.txt', '/z.txt');
    mine = await people.shareId('alice', { path: '/docs', shareWith: 'bob' });
    link = await people.shareId('alice', { path: '/docs', shareType: '3' });
  });
  afterAll(() => people?.stop());

  /** Sends wrong requests and expects that stored data does not change. */
  async function changesNothing(work: () => Promise<unknown>): Promise<void> {
    const stored = () =>
      people.query(
        'SELECT s.*, r.uid, r.state, r.file_target FROM share s LEFT JOIN share_recipient r ON r.share_id = s.id ORDER BY s.id',
      );
    const before = await stored();
    await work();
    expect(await stored()).toEqual(before);
  }

  const refusal = ({ http, code, message }: Answer) => ({ http, code, message });
  const is404 = (message: string) => ({ http: 404, code: 404, message });

  describe('dates', () => {
    const wrong = [
      ...[
        '2030-13-01',
        '2030-02-30',
        '2030-00-10',
        '2030-01-00',
        '2030-1',
        '2030',
        '20301301',
        '99-99-9999',
        '0000-00-00',
      ],
      ...[
        'abc',
        '31/31/2030',
        '2030-01-01T',
        '2030-01-01T25',
        '-1',
        '1e9',
        '٢٠٣٠-٠١-٠١',
        '2030‐01‐01',
        'next year',
        "'; --",
        '+1',
      ],
      ...[
        '12345-01-01',
        '2030-01-01x',
        'x2030-01-01',
        '2030--01-01',
        '32.1.2030',
        '{}',
        '[]',
        'NaN',
        'null',
        'true',
      ],
    ];

    it.each(wrong)('%j is invalid', async (expireDate) => {
      await changesNothing(async () => {
        const created = await people.share('alice', { path: '/a.txt', shareWith: 'bob', expireDate });
        expect(refusal(created)).toEqual(is404(INVALID_DATE));
        const updated = await people.shares('PUT', `/${mine}`, 'alice', { expireDate });
        expect(refusal(updated)).toEqual({
          http: 400,
          code: 400,
          message: 'Invalid date. Format must be YYYY-MM-DD',
        });
      });
    });

    it.each(['1970-01-01', 'yesterday', '-1 day', '20200101', '1.1.2001'])(
      '%j is past',
      async (expireDate) => {
        await changesNothing(async () => {
          const created = await people.share('alice', { path: '/a.txt', shareWith: 'bob', expireDate });
          expect(refusal(created)).toEqual(is404('Expiration date is in the past'));
        });
      },
    );

    it('every input is either a day or refused', async () => {
      const texts = fc.oneof(
        fc.string({ maxLength: 70 }),
        fc.string({ unit: 'binary', maxLength: 20 }),
        fc.stringMatching(/^[0-9./: T+Zdays-]{0,25}$/),
        fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
      );
      await fc.assert(
        fc.asyncProperty(texts, async (expireDate) => {
          const answer = await people.shares('PUT', `/${mine}`, 'alice', { expireDate });
          if (answer.code === 200) {
            const { expiration } = answer.data as ShareRecord;
            expect(expiration === null || /^\d{4}-\d\d-\d\d 00:00:00$/.test(expiration)).toBe(true);
          } else
            expect([
              'Invalid date. Format must be YYYY-MM-DD',
              'Expiration date is in the past',
              'A parameter contains NUL',
            ]).toContain(answer.message);
        }),
        { numRuns: modelRuns(80, 300) },
      );
    });
  });

  it('lists instead of a value, unknown types and empty attributes are refused', async () => {
    const link3 = { path: '/docs', shareType: '3' };
    const wrong: readonly (readonly [Form, string])[] = [
      [{ ...link3, 'password[]': 'secret' }, 'The parameter password takes a single value'],
      [{ ...link3, 'expireDate[]': '2099-01-01' }, 'The parameter expireDate takes a single value'],
      [{ ...link3, 'name[]': 'n' }, 'The parameter name takes a single value'],
      ...['abc', '', '0.0', 'true', '2'].map(
        (shareType) => [{ path: '/a.txt', shareWith: 'bob', shareType }, 'Unknown share type'] as const,
      ),
      [
        { ...link3, attributes: 'nonsense' },
        'Invalid attributes, a list of scope, key and enabled is expected',
      ],
    ];
    await changesNothing(async () => {
      for (const [form, message] of wrong)
        expect(refusal(await people.share('alice', form))).toEqual({ http: 400, code: 400, message });
      const update = await people.shares('PUT', `/${link}`, 'alice', { 'password[]': '' });
      expect(refusal(update)).toMatchObject({ http: 400, code: 400 });
    });
  });

  it('attributes are stored and shown in the form of each client', async () => {
    const form = { 'attributes[0][scope]': 'permissions', 'attributes[0][key]': 'download' };
    const text = JSON.stringify([{ scope: 'permissions', key: 'print', value: false }]);
    const shown = async (attributes: Form) => {
      const answer = await people.shares('PUT', `/${mine}`, 'alice', attributes);
      return (answer.data as ShareRecord).attributes;
    };
    expect(await shown({ ...form, 'attributes[0][enabled]': 'false' })).toBe(
      '[{"scope":"permissions","key":"download","enabled":false}]',
    );
    expect(await shown({ attributes: text })).toBe('[{"scope":"permissions","key":"print","enabled":false}]');
    expect(await shown({ attributes: '[]' })).toBeNull();
  });

  describe('ids', () => {
    const unknown = [
      ...[
        '0',
        '-1',
        '00',
        '999999999',
        '2147483648',
        '9223372036854775808',
        '1'.repeat(40),
        '1.0',
        '1e3',
        '0x1',
        '+1',
        '%31%20',
        'abc',
      ],
      ...['$%23@r3', '%F0%9F%98%80', "1'", 'pending%2F1', 'null', '１'],
    ];

    it.each(unknown)('%s is invalid', async (id) => {
      await changesNothing(async () => {
        for (const [method, below] of [
          ['GET', `/${id}`],
          ['PUT', `/${id}`],
          ['DELETE', `/${id}`],
          ['POST', `/pending/${id}`],
          ['DELETE', `/pending/${id}`],
        ] as const) {
          const answer = await people.shares(
            method,
            below,
            'alice',
            method === 'PUT' ? { permissions: '1' } : undefined,
          );
          expect(refusal(answer)).toEqual(is404(WRONG_ID));
        }
      });
    });

    it('of other people get the answer for unknown ids', async () => {
      await changesNothing(async () => {
        for (const id of [mine, link]) {
          expect(refusal(await people.shares('GET', `/${id}`, 'eve'))).toEqual(is404(WRONG_ID));
          expect(refusal(await people.shares('POST', `/pending/${id}`, 'eve'))).toEqual(is404(WRONG_ID));
          expect(refusal(await people.shares('DELETE', `/pending/${id}`, 'eve'))).toEqual(is404(WRONG_ID));
          const update = await people.shares('PUT', `/${id}`, 'eve', { permissions: '1' });
          expect(refusal(update)).toEqual(is404('Could not update share'));
          expect(refusal(await people.shares('DELETE', `/${id}`, 'eve'))).toEqual(
            is404('Could not delete share'),
          );
        }
        const received = await people.shares('PUT', `/${mine}`, 'bob', { permissions: '1' });
        expect(refusal(received)).toEqual(is404('Could not update share'));
        expect(refusal(await people.shares('DELETE', `/${mine}`, 'bob'))).toEqual(
          is404('Could not delete share'),
        );
      });
    });
  });

  describe('texts', () => {
    it.each([
      ['n'.repeat(64), 200],
      ['n'.repeat(65), 403],
      ['é'.repeat(64), 200],
      ['😀'.repeat(64), 200],
      ['😀'.repeat(65), 403],
      ['<b>&amp;"\'', 200],
      ['n'.repeat(100_000), 403],
    ])('the name %.10s… answers %i, and 400 in an update', async (name, code) => {
      const made = await people.share('alice', { path: '/docs', shareType: '3', name });
      expect(made.code).toBe(code);
      if (code === 200) expect((made.data as ShareRecord).name).toBe(name);
      const updated = await people.shares('PUT', `/${link}`, 'alice', { name });
      expect(updated.code).toBe(code === 200 ? 200 : 400);
    });

    const shares: [string, Form][] = [
      ['a path that is too long', { path: `/${'a'.repeat(5000)}` }],
      ['a path with a name that is too long', { path: `/${'a'.repeat(256)}` }],
      ['a path upwards', { path: '/docs/../../a.txt' }],
      ['a path with a control character', { path: '/a\u0001.txt' }],
      ['a path below a file', { path: '/a.txt/b' }],
      ['a path of nothing but dots', { path: '/..' }],
    ];
    it.each(shares)('%s is wrong', async (_, form) => {
      const answer = await people.share('alice', { shareWith: 'bob', ...form });
      expect(refusal(answer)).toEqual(is404("Wrong path, file/folder doesn't exist"));
    });

    it.each(['', ' ', 'nobody', 'bob ', 'b'.repeat(10_000), "bob'", 'bob@example.org', '%'])(
      '%.12j is no user',
      async (shareWith) => {
        const answer = await people.share('alice', { path: '/z.txt', shareWith });
        expect(refusal(answer)).toEqual(is404('Please specify a valid user'));
      },
    );

    it.each(['-1', '32', '99999999999999999999', '-99999999999999999999'])(
      'permissions %s are invalid',
      async (permissions) => {
        const answer = await people.share('alice', { path: '/docs', shareWith: 'eve', permissions });
        expect(refusal(answer)).toEqual(is404('Invalid permissions'));
      },
    );

    it.each(['', 'abc', '0', '\t0'])('permissions %j are 0', async (permissions) => {
      const answer = await people.share('alice', { path: '/docs', shareWith: 'eve', permissions });
      expect(refusal(answer)).toEqual({ http: 400, code: 400, message: 'Cannot remove all permissions' });
    });
  });

  it('no combination of odd parameters causes a server error', async () => {
    const odd = fc.oneof(
      fc.constantFrom(
        '',
        '0',
        '1',
        '3',
        '6',
        '-1',
        'true',
        'false',
        '/',
        '/docs',
        '/a.txt',
        'bob',
        'alice',
        '2030-01-01',
        '[]',
      ),
      fc.string({ unit: 'binary', maxLength: 30 }),
      fc.string({ maxLength: 300 }),
    );
    const names = [
      'path',
      'shareType',
      'shareWith',
      'permissions',
      'expireDate',
      'publicUpload',
      'password',
      'name',
      'attributes[0][scope]',
      'attributes[0][key]',
      'attributes',
    ];
    const form = fc.dictionary(fc.constantFrom(...names), odd, { maxKeys: 6, noNullPrototype: true });
    await fc.assert(
      fc.asyncProperty(form, fc.constantFrom('POST', 'PUT'), async (fields, method) => {
        // This test has no partners.
        const answer = await people.shares(method, method === 'PUT' ? `/${link}` : '', 'alice', {
          ...fields,
          shareType: '3',
        });
        expect(answer.http).toBeLessThan(500);
      }),
      { numRuns: modelRuns(50, 150) },
    );
    expect(await people.halfStates()).toEqual([]);
  });
});
