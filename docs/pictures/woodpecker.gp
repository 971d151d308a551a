# Picture of the woodpecker toy in README.md. To draw it again, with gnuplot:
#   percuss run examples/woodpecker.yaml --no-result --quiet --end 1 --output-step 0.001 \
#     --csv body.sleeve.position.y,body.sleeve.angle,body.bird.angle > woodpecker.csv
#   gnuplot -e "data='woodpecker.csv'" docs/pictures/woodpecker.gp > docs/pictures/woodpecker.svg
set terminal svg size 900,420 font "sans-serif,13" background "white"
set datafile separator ","
set multiplot layout 2,1 margins 0.09,0.97,0.15,0.93 spacing 0.03
set border 3
set tics nomirror out
set grid ytics lc rgb "#dddddd"
set key top right horizontal
set xrange [0:1]
set format x ""
set ylabel "height, mm"
set title "Woodpecker toy: examples/woodpecker.yaml, nonsmooth-alpha, h = 0.1 ms" offset 0,-0.5
plot data using 1:(1e3*$2) every ::1 with lines lw 2 lc rgb "#1f5fa8" title "sleeve"
unset title
set format x "%g"
set xlabel "time, s"
set ylabel "angle, rad"
set yrange [-0.6:0.4]
set ytics 0.2
plot data using 1:4 every ::1 with lines lw 2 lc rgb "#c4451c" title "bird", \
     data using 1:3 every ::1 with lines lw 2 lc rgb "#3a7d3a" title "sleeve"
