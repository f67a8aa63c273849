import { RUNTIMES } from './blocks-bench.ts';
import { describeBlocks } from './blocks-cases.ts';

describeBlocks(RUNTIMES.docker);
