import { describeShapes } from './describe-shapes';

describeShapes('misc', {});
