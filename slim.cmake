# For the build of llama-cpp-python that `pip install .` starts (README): of all that it compiles,
# more than half is in two libraries that neither hpd nor its Python code uses. The one for images
# has an option; the one of llama.cpp's programs is asked for with FORCE, so that only a variable
# that each project() sets keeps it out.
set(LLAVA_BUILD OFF)
set(LLAMA_BUILD_COMMON OFF)
