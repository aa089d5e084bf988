import { shown } from '../http.mjs';
import { COVERED, digestOf } from '../signing.mjs';
import { expect, need } from '../verdict.mjs';

const now = () => Math.floor(Date.now() / 1000);
const HOUR = 3600;

const isRefused = ({ status }) => status >= 400 && status < 500;

/** A server that accepts right signatures refuses an offer with this fault in its signature. */
function refuses(faults, change) {
  return async (world) => {
    await needsVerifier(world);
    const answer = await world.offer(change, faults());
    expect(isRefused(answer), `the offer is answered ${shown(answer)}`);
  };
}

function takes(faults) {
  return async (world) => {
    await needsVerifier(world);
    const answer = await world.offer(undefined, faults());
    expect(answer.status === 201, `the offer is answered ${shown(answer)}`);
  };
}

async function needsVerifier(world) {
  need(await world.offers('http-sig'), 'the server does not announce http-sig');
  await world.needTakesOffers();
}

const without = (name) => ({ covered: COVERED.filter((covered) => covered !== name) });

function wrongBeside(offerBody) {
  return { digest: `${digestOf(offerBody)}, ${digestOf('something else', 'sha-512')}` };
}

async function refusesMixedDigests(world) {
  await needsVerifier(world);
  const offer = await world.goodOffer();
  const answer = await world.send(offer, wrongBeside(JSON.stringify(offer)));
  expect(isRefused(answer), `the offer is answered ${shown(answer)}`);
}

const received = (id, says, check, level = 'MUST') => ({ id: `signatures.${id}`, level, says, check });

export const SIGNATURES = {
  title: 'HTTP message signatures, as they are checked',
  sentences: [
    ...COVERED.map((name) =>
      received(
        `covers.${name.replace('@', '')}`,
        `A signature that does not cover ${name} is refused.`,
        refuses(() => without(name)),
      ),
    ),
    received(
      'created',
      'A signature without created is refused.',
      refuses(() => ({ created: null })),
    ),
    received(
      'created.future',
      'A signature that was made in the future is refused.',
      refuses(() => ({ created: now() + 24 * HOUR })),
    ),
    received(
      'created.past',
      'A signature that is older than the time allowed is refused.',
      refuses(() => ({ created: now() - 24 * HOUR })),
    ),
    received('digest.sha-256', 'A digest by sha-256 is understood.', async (world) => {
      need(await world.offers('http-sig'), 'the server does not announce http-sig');
      const answer = await world.baseline();
      expect(answer.status === 201, `an offer with such a digest is answered ${shown(answer)}`);
    }),
    received(
      'digest.body',
      'A digest of another body is refused.',
      refuses(() => ({ digest: digestOf('something else') })),
    ),
    received(
      'digest.all',
      'With several digests, one that is known and wrong is enough to refuse.',
      refusesMixedDigests,
    ),
    received(
      'tag.found',
      'The signature is found by its tag, whatever its label.',
      takes(() => ({ label: 'another-label' })),
    ),
    received(
      'tag.missing',
      'A message without a signature of tag ocm is refused.',
      refuses(() => ({ tag: null })),
    ),
    received(
      'tag.other',
      'A signature with another tag does not count.',
      refuses(() => ({ tag: 'other', label: 'ocm' })),
    ),
    received(
      'tag.twice',
      'A message with two signatures of tag ocm is refused as a whole.',
      refuses(() => ({ beside: [{ label: 'sig2' }] })),
    ),
    received(
      'others',
      'Only the signature of tag ocm is checked: a wrong one beside it changes nothing.',
      takes(() => ({ beside: [{ label: 'proxy', tag: 'proxy', spoiled: true }] })),
    ),
    received(
      'symmetric',
      'A symmetric algorithm is refused.',
      refuses(() => ({ symmetric: true })),
    ),
    received(
      'wrong',
      'A wrong signature is refused.',
      refuses(() => ({ spoiled: true })),
    ),
  ],
};
